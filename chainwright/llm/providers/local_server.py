"""The local model's server: a program of its own, run by path with a weights file.

It prints its address once the model is loaded, and ends when its standard input does or when the
process that started it is gone, so that no killed build leaves a server behind.
"""

import argparse
import os
import select
import sys
from typing import Any

ADDRESS = "serving at "
"""What stands before the address on the line that says the server is ready."""

CONTEXT = 8192
"""Tokens that a prompt and its answer may have together."""


def main() -> None:
    """Serve a weights file until nobody is there any more."""
    parser = argparse.ArgumentParser(description="Serve a gguf file over OpenAI's protocol.")
    parser.add_argument("weights", help="path of the gguf file")
    parser.add_argument("--name", default="local", help="name of the model in answers")
    parser.add_argument("--port", type=int, default=0, help="port on loopback; 0 takes a free one")
    options = parser.parse_args()
    server = _serve(options.weights, options.name, options.port)
    # Read by whoever started this.
    print(f"{ADDRESS}{server.listening_address}", flush=True)  # noqa: T201
    _wait_for_the_end()


def _serve(weights: str, name: str, port: int) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.ui = False
    params.cors_origins = ""
    params.n_ctx = CONTEXT
    # One answer at a time: several do not come faster on a processor, and their grouping would
    # change the digits, so that the same question might get another answer.
    params.n_parallel = 1
    params.cache_ram_mib = 0
    # Every connection that is kept alive holds one of these.
    params.n_threads_http = 64
    # One core stays free: the threads wait for each other in a busy loop, and where another process
    # takes the core of one, all slow down (tenfold, measured with two threads on two busy cores).
    threads = max(1, (os.cpu_count() or 2) - 1)
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.verbosity = 1
    return xllamacpp.Server(params)


def _wait_for_the_end() -> None:
    parent = os.getppid()
    while os.getppid() == parent:
        ready, _, _ = select.select([sys.stdin], [], [], 1.0)
        if ready and not os.read(sys.stdin.fileno(), 4096):
            return


if __name__ == "__main__":
    main()
