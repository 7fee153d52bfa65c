"""Worker: a process of its own that compares expressions, one JSON line in and one out.

It is made to be lost: the kernel ends it when a request takes more processor time than it was
given or memory runs out, and whoever asked takes that for "undecided".
"""

import json
import os
import resource
import signal
import sys
import time

MEMORY = 1 << 30
"""Bytes of address space, with Python and sympy in it."""
READY = {"ready": "1"}


def main() -> int:
    """Reads requests until the input ends.

    A request holds `seconds`, the processor time that it may take; a reply `used`, what it took,
    and a `fault` where something was raised. After a `MemoryError` the process ends.
    """
    # replies have a channel of their own, so that no library's print gets among them
    channel = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    from chainwright.builders.matching.symbolic import reply_to

    # the parser builds its tables as it meets a form for the first time: not on a request's time
    reply_to({"op": "expressions", "expected": r"\frac{\sqrt{2}x^{2}}{3}+1", "given": r"\sin(x)"})
    limit_memory(MEMORY)
    channel.write(json.dumps(READY) + "\n")
    for line in sys.stdin:
        request = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, float(request.pop("seconds")))
        spoilt, start = False, time.process_time()
        try:
            reply = reply_to(request)
        except MemoryError:
            reply, spoilt = {"fault": "out of memory"}, True
        except Exception as error:
            reply = {"fault": f"unreadable: {type(error).__name__}"}
        signal.setitimer(signal.ITIMER_PROF, 0)
        used = f"{time.process_time() - start:.4f}"
        channel.write(json.dumps({**reply, "used": used}) + "\n")
        if spoilt:
            return 1
    return 0


def limit_memory(size: int) -> None:
    """Lets allocations beyond the size fail, where the system has such a limit."""
    try:
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        size = size if most == resource.RLIM_INFINITY else min(size, most)
        resource.setrlimit(resource.RLIMIT_AS, (size, most))
    except (ValueError, OSError):
        # a system without the limit still has the one on time
        return


if __name__ == "__main__":
    sys.exit(main())
