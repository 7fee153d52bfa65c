"""Times the way from a question to a kept and validated answer, beside other libraries.

A server on loopback answers chat completions after a constant time. Every client asks it the same
questions in a process of its own; the clients take turns, round after round, so that a busy moment
of the machine falls on all of them alike. Counted is the client's process alone, from its start to
its end, and its children with it. Standard library only; the peers get environments of their own.

Reports and does not judge: exits 0 unless a client fails.
"""

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
PEERS = {
    "distilabel": ["distilabel[openai]", "requests"],  # imports requests and does not ask for it
    "curator": ["bespokelabs-curator"],
}
INSTALL_SECONDS = 480
"""After which a peer's installation is given up."""
RUN_SECONDS = 900
"""After which a client is given up."""

RESUME_SECONDS = 300
"""After which one is given up that was killed and runs again."""

KEEPS_NOTHING = ("bare",)


@dataclass
class Figures:
    """What a client took, one entry a round: seconds, or MB for `peak`.

    `wall` and `cpu` are of the whole process; `work_wall` and `work_cpu` leave out its start and
    its imports. `first` is how long the server waited for its first question. `again` and
    `again_work` are the wall seconds of a second run, for which all answers are there. `resent` is
    how many questions more than needed were asked where the first run was killed half-way.
    """

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    work_wall: list[float] = field(default_factory=list)
    work_cpu: list[float] = field(default_factory=list)
    peak: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    again_work: list[float] = field(default_factory=list)
    resent: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Server:
    """A running server of the benchmark."""

    port: int

    def told(self) -> tuple[int, float | None]:
        """How many questions were asked, and when the first was."""
        url = f"http://127.0.0.1:{self.port}/count"
        with urllib.request.urlopen(url, timeout=10) as answer:
            told = json.load(answer)
        return told["count"], told["first"]


def main() -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description="Time the way from a question to an answer.")
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency-ms", type=float, nargs="+", default=[0.0, 50.0])
    parser.add_argument("--runs", type=int, default=3, help="rounds (default: %(default)s)")
    parser.add_argument("--clients", nargs="+", default=["bare", "chainwright"])
    parser.add_argument(
        "--peers", nargs="*", choices=[*PEERS], help="other libraries; all of them without a name"
    )
    parser.add_argument(
        "--environments",
        type=Path,
        default=Path(tempfile.gettempdir()) / "chainwright-peers",
        help="folder for the peers' environments, made when missing (default: %(default)s)",
    )
    parser.add_argument("--no-kill", action="store_true", help="leave out the run that is killed")
    options = parser.parse_args()

    pythons = {name: Path(sys.executable) for name in options.clients}
    for name in options.peers or (() if options.peers is None else PEERS):
        if python := environment(name, options.environments / name):
            pythons[name] = python
    for latency in options.latency_ms:
        before = os.getloadavg()[0]
        figures = measure(pythons, latency, options)
        loads = f"load {before:.1f} before, {os.getloadavg()[0]:.1f} after"
        print(
            f"\n{options.requests} requests, {options.concurrency} at once, {latency:g} ms; {loads}"
        )
        print(as_table(figures), flush=True)


def environment(name: str, folder: Path) -> Path | None:
    """The Python of a peer's environment; None, with the reason printed, where there is none."""
    python = folder / "bin" / "python"
    done = folder / "installed"
    if done.exists():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    try:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True)
        install = [str(python), "-m", "pip", "install", "--quiet", *PEERS[name]]
        subprocess.run(install, check=True, timeout=INSTALL_SECONDS, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        print(f"{name} is left out: not installed within {INSTALL_SECONDS} s")
        return None
    except subprocess.CalledProcessError as error:
        last = str(error.stderr).strip().splitlines()[-1:]
        print(f"{name} is left out, as it cannot be installed: {' '.join(last)}")
        return None
    done.touch()
    return python


def measure(
    pythons: dict[str, Path], latency: float, options: argparse.Namespace
) -> dict[str, Figures]:
    """The figures of every client; one that fails is left out from then on, and said so."""
    found = {name: Figures() for name in pythons}
    for _ in range(options.runs):
        for name in list(found):
            try:
                one_round(name, pythons[name], latency, options, found[name])
            except (subprocess.SubprocessError, ValueError, TimeoutError) as error:
                print(f"{name} is left out, as it failed: {error}", flush=True)
                del found[name]
    for name in () if options.no_kill else found:
        try:
            if name not in KEEPS_NOTHING:
                killed(name, pythons[name], latency, options, found[name])
        except (ValueError, TimeoutError) as error:
            print(f"{name} did not go on after it was killed: {error}", flush=True)
    return found


def one_round(
    name: str, python: Path, latency: float, options: argparse.Namespace, found: Figures
) -> None:
    """Run a client once, and once more on what it kept."""
    with serving(latency) as server, folder() as kept:
        began = time.monotonic()
        told, wall, cpu, peak = run(command(name, python, server, kept, options))
        count, first = server.told()
        found.wall.append(wall)
        found.cpu.append(cpu)
        found.peak.append(peak)
        found.first.append((first or 0.0) - began)
        found.work_wall.append(told["work_wall"])
        found.work_cpu.append(told["work_cpu"])
        if told["answers"] != options.requests or count < options.requests:
            raise ValueError(f"{told['answers']:g} readable answers to {count} questions")
        if name not in KEEPS_NOTHING:
            told, wall, _, _ = run(command(name, python, server, kept, options))
            found.again.append(wall)
            found.again_work.append(told["work_wall"])
            if server.told()[0] != count:
                raise ValueError("the second run asked again")


def killed(
    name: str, python: Path, latency: float, options: argparse.Namespace, found: Figures
) -> None:
    """Kill a client half-way with all its children, let it run again, count what it asked twice."""
    with serving(latency) as server, folder() as kept:
        line = command(name, python, server, kept, options)
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(line, stdout=said, stderr=said, start_new_session=True)
            deadline = time.monotonic() + RUN_SECONDS
            while server.told()[0] < options.requests // 2 and process.poll() is None:
                if time.monotonic() > deadline:
                    os.killpg(process.pid, signal.SIGKILL)
                    raise TimeoutError("it asked too slowly to be killed half-way")
                time.sleep(0.01)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        time.sleep(2 * latency / 1000)
        run(line, RESUME_SECONDS)
        found.resent.append(server.told()[0] - options.requests)


def command(
    name: str, python: Path, server: Server, kept: Path, options: argparse.Namespace
) -> list[str]:
    """How a client is started."""
    settings = {
        "--url": f"http://127.0.0.1:{server.port}/v1",
        "--requests": str(options.requests),
        "--concurrency": str(options.concurrency),
        "--folder": str(kept),
    }
    words = [word for pair in settings.items() for word in pair]
    return [str(python), str(HERE / "transport_clients.py"), name, *words]


def run(
    line: Sequence[str], seconds: float = RUN_SECONDS
) -> tuple[dict[str, float], float, float, float]:
    """What a client prints last, its wall and processor seconds, and its peak in MB."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as errors:
        began = time.monotonic()
        process = subprocess.Popen(line, stdout=said, stderr=errors, start_new_session=True)
        watch = threading.Timer(seconds, os.killpg, (process.pid, signal.SIGKILL))
        watch.start()
        _, status, used = os.wait4(process.pid, 0)
        watch.cancel()
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        errors.seek(0)
        lines = said.read().decode().strip().splitlines()
        if process.returncode or not lines:
            last = errors.read().decode(errors="replace").strip().splitlines()[-1:]
            raise ValueError(f"exit code {process.returncode}: {' '.join(last)}")
    told: dict[str, float] = json.loads(lines[-1])
    return told, wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


@contextmanager
def serving(latency: float) -> Iterator[Server]:
    """A server of its own process, until the block ends."""
    line = [sys.executable, str(HERE / "transport_server.py"), "--latency-ms", str(latency)]
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None  # noqa: S101  # it is a pipe
            yield Server(int(process.stdout.readline()))
        finally:
            process.kill()


@contextmanager
def folder() -> Iterator[Path]:
    """A new folder, until the block ends; libraries may leave threads that still write to it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as path:
        yield Path(path)


def as_table(found: dict[str, Figures]) -> str:
    """A Markdown table with a column for each client: median (smallest to largest)."""
    rows: list[tuple[str, Callable[[Figures], list[float]], str]] = [
        ("wall (s)", lambda one: one.wall, ".2f"),
        ("CPU (s)", lambda one: one.cpu, ".2f"),
        ("wall without imports (s)", lambda one: one.work_wall, ".2f"),
        ("CPU without imports (s)", lambda one: one.work_cpu, ".2f"),
        ("peak memory (MB)", lambda one: one.peak, ".0f"),
        ("first request after (s)", lambda one: one.first, ".2f"),
        ("again, all kept: wall (s)", lambda one: one.again, ".2f"),
        ("again, without imports (s)", lambda one: one.again_work, ".2f"),
        ("re-sent after kill -9", lambda one: one.resent, ".0f"),
    ]
    lines = [f"| | {' | '.join(found)} |", f"|---|{'---|' * len(found)}"]
    for title, values, form in rows:
        cells = [_cell(values(one), form) for one in found.values()]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(values: list[float], form: str) -> str:
    if not values:
        return "–"
    if len(values) == 1:
        return f"{values[0]:{form}}"
    middle = statistics.median(values)
    return f"{middle:{form}} ({min(values):{form}} to {max(values):{form}})"


if __name__ == "__main__":
    main()
