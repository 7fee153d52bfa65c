import io

import pytest

from chainwright.llm.meter import ModelTally
from chainwright.pipeline.screens.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def go_through(progress: Progress) -> None:
    with progress:
        progress.begin("problems", None)
        progress.note("1,000 rows read")
        progress.expect(2)
        progress.advance(ran=True)
        progress.advance(ran=False)
        progress.end()
        progress.begin("chains", 2)
        progress.advance(ran=False)


def test_elsewhere_a_stage_is_one_plain_line() -> None:
    stream = io.StringIO()
    go_through(Progress(stream=stream))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("problems: 1 block run, 1 unchanged, 0.0 s")


def test_on_a_terminal_a_stage_has_a_bar() -> None:
    stream = Terminal()
    go_through(Progress(stream=stream))
    assert "problems" in stream.getvalue()
    assert "2/2" in stream.getvalue()
    assert "chains" in stream.getvalue()


def test_quiet_says_nothing_and_keeps_the_position() -> None:
    stream = Terminal()
    progress = Progress(quiet=True, stream=stream)
    go_through(progress)
    assert stream.getvalue() == ""
    assert (progress.stage, progress.done, progress.total) == ("chains", 1, 2)


def ask(progress: Progress) -> None:
    with progress:
        progress.begin("votes", 2)
        progress.asked(ModelTally(sent=3, from_ledger=1), planned=8)
        progress.asked(ModelTally(sent=9, from_ledger=1), planned=8)
        progress.advance(ran=True)
        progress.asked(ModelTally(sent=12, from_ledger=1, failed=1, cost_usd=0.5), planned=8)
        progress.advance(ran=True)
        progress.end()


def test_requests_are_told_at_the_end_of_the_stage() -> None:
    stream = io.StringIO()
    ask(Progress(stream=stream))
    (line,) = stream.getvalue().splitlines()
    assert line.startswith("votes: 2 blocks run, 12 requests sent, 1 from the ledger, 1 failed, ")
    assert "/s, 0.5000 USD, 0.0 s" in line


def test_what_requests_wait_for_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chainwright.pipeline.screens.progress.LINE_EVERY", 0.0)
    stream = io.StringIO()
    progress = Progress(stream=stream)
    progress.begin("votes", 1)
    progress.asked(ModelTally(), 8, ["openai:o3 waits for its limit of 5 requests a minute"])
    progress.asked(ModelTally(from_ledger=1), 8, ["x" * 300, "another"])
    progress.asked(ModelTally(from_ledger=1), 8)
    first, second, third = stream.getvalue().splitlines()
    assert first.endswith("blocks, openai:o3 waits for its limit of 5 requests a minute")
    assert second.endswith("0 requests sent, 1 from the ledger; " + "x" * 159 + "… (and 1 more)")
    assert third.endswith("1 from the ledger")


def test_in_a_log_there_is_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chainwright.pipeline.screens.progress.LINE_EVERY", 0.0)
    stream = io.StringIO()
    ask(Progress(stream=stream))
    first, *_, last = stream.getvalue().splitlines()
    assert first.startswith("votes: 0 of 2 blocks, 3 requests sent, 1 from the ledger, ")
    assert last.startswith("votes: 2 blocks run, 12 requests sent")
    assert len(stream.getvalue().splitlines()) == 4


def test_what_is_at_a_provider_is_told_while_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chainwright.pipeline.screens.progress.LINE_EVERY", 0.0)
    stream = io.StringIO()
    with Progress(stream=stream) as progress:
        progress.begin("votes", 2)
        progress.tell("batch b\x1b is at the provider")
        progress.asked(ModelTally(), planned=8, batches="1 batch at the provider, 0 of 8 done")
        progress.advance(ran=True)
        progress.end()
    told, under_way, _ = stream.getvalue().splitlines()
    assert told == "batch b\\x1b is at the provider"
    assert under_way == "votes: 0 of 2 blocks, 1 batch at the provider, 0 of 8 done"


def test_a_block_under_way_moves_the_bar_but_only_its_end_completes_it() -> None:
    progress = Progress(stream=Terminal())
    with progress:
        progress.begin("votes", 2)
        bars, task = progress._bars, progress._task
        assert bars is not None
        assert task is not None
        for sent, expected in ((2, 0.25), (8, 0.99), (20, 0.99)):
            progress.asked(ModelTally(sent=sent), planned=8)
            assert bars.tasks[task].completed == expected
        progress.advance(ran=True)
        assert bars.tasks[task].completed == 1
        progress.asked(ModelTally(sent=24), planned=8)
        assert bars.tasks[task].completed == 1.5
        progress.asked(ModelTally(sent=24), planned=0)
        assert bars.tasks[task].completed == 1
