"""Shortfalls: what a build was to make and did not, said at its end where nobody can miss it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from chainwright.pipeline.run_folder import WHOLE_RUN_STAGES, RunFolder
from chainwright.pipeline.screens.report import StageReport, reasons
from chainwright.pipeline.tables import iter_table
from chainwright.schemas.reject import Reject

USELESS = frozenset({"malformed", "refused", "missing"})
"""Statuses of votes that say nothing."""

VOTES = "votes"
CRASHED = "judge_failed"


def shortfalls(folder: RunFolder, stages: Iterable[StageReport]) -> list[str]:
    """Stages, models and judges that made nothing of all they were given; one line each.

    A stage that was given nothing is not among them, nor a judge that abstained by its own rules.
    """
    return [line for stage in stages for line in _of_stage(folder, stage)]


def _of_stage(folder: RunFolder, stage: StageReport) -> Iterator[str]:
    if stage.stage in WHOLE_RUN_STAGES:
        return
    taken = sum(table.taken for table in stage.tables)
    made = sum(table.made for table in stage.tables)
    if taken and not made:
        why: Counter[str] = Counter()
        for table in stage.tables:
            why.update(table.rejected)
        yield f"{stage.stage} made nothing of {taken} items: rejected {reasons(dict(why))}"
    for model, tally in sorted(stage.models.items()):
        if tally.failed and tally.failed == tally.done:
            yield f"{stage.stage}: none of {tally.failed} requests to {model} got an answer"
    if stage.stage == VOTES and taken:
        yield from _of_judges(folder, stage)


def _of_judges(folder: RunFolder, stage: StageReport) -> Iterator[str]:
    statuses = _statuses(folder)
    for judge, counts in sorted(statuses.items()):
        if set(counts) <= USELESS:
            listed = ", ".join(f"{count} {status}" for status, count in counts.most_common())
            yield f"votes: {judge} gave not one vote that can be used ({listed})"
    crashed: Counter[str] = Counter()
    if any(CRASHED in table.rejected for table in stage.tables):
        for reject in iter_table(folder.path, "rejects", Reject):
            if reject.stage == VOTES and reject.reason == CRASHED:
                crashed[reject.item.partition("/")[2].rpartition("/")[0]] += 1
    for judge, count in sorted(crashed.items()):
        if judge not in statuses:
            yield f"votes: {judge} failed on every chain ({count} votes, reason {CRASHED})"


def _statuses(folder: RunFolder) -> dict[str, Counter[str]]:
    """By judge how many votes it gave in which status, from two columns of the files."""
    import pyarrow.parquet as pq

    found: dict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted((folder.path / VOTES).glob("votes-*.parquet")):
        table = pq.read_table(path, columns=["judge", "status"])
        for group in table.group_by(["judge", "status"]).aggregate([([], "count_all")]).to_pylist():
            found[group["judge"]][group["status"]] += group["count_all"]
    return found


def unanswered(stages: Iterable[StageReport]) -> list[str]:
    """Requests without an answer, and what to do about them; one line for each kind."""
    lines = []
    for stage in stages:
        if stage.unanswered:
            lines.append(
                f"{stage.stage}: {_requests(stage.unanswered)} got no answer; "
                "the same command asks them again"
            )
        too_long = sum(tally.too_long for tally in stage.models.values())
        if too_long:
            lines.append(
                f"{stage.stage}: {_requests(too_long)} longer than what the model can read: "
                "they are not asked again"
            )
    return lines


def _requests(count: int) -> str:
    return f"{count:,} request{'' if count == 1 else 's'}"
