"""Memory: what this process holds, and the most it held since it was last asked to forget."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

_STATUS = Path("/proc/self/status")
_FORGET = Path("/proc/self/clear_refs")
_LINE = re.compile(r"^(VmRSS|VmHWM):\s+(\d+) kB$", re.MULTILINE)


@dataclass(frozen=True)
class Memory:
    """Resident memory of this process in bytes; its children are not counted."""

    now: int
    peak: int
    """The most since `forget_peak`; where the system cannot forget, since the process began."""


def memory() -> Memory | None:
    """What this process holds; None where the system does not say."""
    try:
        found = dict(_LINE.findall(_STATUS.read_text(encoding="ascii")))
        return Memory(int(found["VmRSS"]) * 1024, int(found["VmHWM"]) * 1024)
    except (OSError, ValueError, KeyError):
        return _lifetime()


def forget_peak() -> None:
    """Lets the peak begin anew, as far as the system can."""
    try:
        _FORGET.write_text("5", encoding="ascii")
    except OSError:
        return


def _lifetime() -> Memory | None:
    """The peak of the whole process, for both: all that other systems than Linux tell."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak *= 1 if sys.platform == "darwin" else 1024
    return Memory(peak, peak)
