import io

from chainwright.pipeline.progress import Progress


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
