"""A vote as a plain row, and what a report of faults comes to."""

from typing import Any

from chainwright.pipeline.validation.faults import Report

ID = "c-0123456789abcdef0123"
VOTE: dict[str, Any] = {
    "chain_id": ID,
    "step": 1,
    "task": "error",
    "judge": "program:arithmetic",
    "prompt_version": "1",
    "label": "correct",
    "category": None,
    "premises": None,
    "explanation": None,
    "status": "ok",
    "request_key": None,
}


def told(report: Report) -> list[tuple[str, int | None, str]]:
    return [(fault.file, fault.row, fault.field) for fault in report.faults]
