"""Fault log: what is kept of an exception that stopped a run."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from chainwright.pipeline.errors import InputMistake, RunStopped
from chainwright.pipeline.files import write_atomically
from chainwright.pipeline.run_folder import RunFolder


@contextmanager
def stopped(folder: RunFolder, stage: str, block: int | None = None) -> Iterator[None]:
    """Turns an unforeseen exception into a stop that says where, and logs its traceback.

    Raises:
        RunStopped: with the stage, the block, the exception and the path of the log.
    """
    try:
        yield
    except (RunStopped, InputMistake):
        raise
    except Exception as error:
        at = f"stage {stage}" if block is None else f"stage {stage}, block {block}"
        when = datetime.now(UTC).isoformat(timespec="seconds")
        log = f"traceback: {folder.error_log}"
        try:
            write_atomically(folder.error_log, f"{when} {at}\n{traceback.format_exc()}")
        except OSError as full:
            log = f"no traceback, as it could not be written: {full.strerror}"
        raise RunStopped(
            f"{at} failed with {type(error).__name__}: {error} "
            f"({log}); what was finished before is kept"
        ) from error
