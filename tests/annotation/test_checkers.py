"""Checkers of one's own: what they see, what they may say, and what their faults cost."""

import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.annotation.checkers import Checker, Opinion, View, abstained, correct, error
from chainwright.annotation.checkers.checker_votes import CheckerJudge, read_opinions
from chainwright.annotation.checkers.loading import load
from chainwright.annotation.checkers.view import view_of
from chainwright.annotation.judges import judge_name, judges_of, panel_of
from chainwright.annotation.stages import LABELS, VOTES
from chainwright.annotation.statistics import statistics
from chainwright.pipeline.validation.row_rules import rule_flaws
from chainwright.schemas.label import ExactLabel
from chainwright.schemas.vote import Vote
from chainwright.stage import Batch, Tables
from tests.annotation.scripted_asker import CHAIN, PROBLEM, WITH_CONTEXT
from tests.scripted_models import a_recipe, run

Make = Callable[..., str]
TABLES: Tables = {"problems": [PROBLEM], "chains": [CHAIN]}


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Make]:
    """Puts a function into a module of its own, and names it as a recipe does."""
    modules: list[str] = []

    def made(function: Any, **constants: Any) -> str:
        name = f"checker_of_a_test_{len(modules)}"
        modules.append(name)
        module = ModuleType(name)
        vars(module).update(constants, check=function)
        monkeypatch.setitem(sys.modules, name, module)
        return f"python:{name}.check"

    yield made
    from chainwright.annotation.checkers import loading

    for name in modules:
        loading._loaded.pop(f"{name}.check", None)


def judging(*judges: str) -> Batch:
    batch = run(VOTES, a_recipe(annotation={"judges": list(judges)}), TABLES, lambda _: "")
    for vote in batch.rows["votes"]:
        assert list(rule_flaws(vote)) == []
    return batch


def votes(uri: str) -> list[Vote]:
    batch = judging(uri)
    assert batch.rejects == []
    return [vote for vote in batch.rows["votes"] if isinstance(vote, Vote)]


def every_kind(view: View) -> list[Opinion]:
    return [correct("fine"), error("mathematical_error", "slip", [1, 0, 1]), abstained("?")]


async def every_kind_later(view: View) -> list[Opinion]:
    await asyncio.sleep(0)
    return every_kind(view)


class Kinds:
    async def __call__(self, view: View) -> list[Opinion]:
        return every_kind(view)


TYPED: list[Checker] = [every_kind, every_kind_later, Kinds()]


@pytest.mark.parametrize("checker", [*TYPED, lambda view, strict=False: every_kind_later(view)])
def test_opinions_become_votes(make: Make, checker: Checker) -> None:
    uri = make(checker)
    cast = votes(uri)
    said = [(v.step, v.task, v.status, v.label, v.category, v.premises) for v in cast]
    assert said == [
        (1, "error", "ok", "correct", None, None),
        (2, "error", "ok", "error", "mathematical_error", None),
        (3, "error", "abstained", None, None, None),
        (1, "premises", "abstained", None, None, None),
        (2, "premises", "ok", None, None, [0, 1]),
        (3, "premises", "abstained", None, None, None),
    ]
    assert {vote.judge for vote in cast} == {uri}
    assert [vote.explanation for vote in cast[:3]] == ["fine", "slip", "?"]


def test_without_premises_there_are_no_votes_on_them(make: Make) -> None:
    cast = votes(make(lambda view: [Opinion("ok", "error")] * 3))
    assert [(vote.task, vote.category) for vote in cast] == [("error", "other")] * 3


def test_the_view_tells_nothing_of_where_a_chain_comes_from() -> None:
    view = view_of(WITH_CONTEXT, CHAIN)
    assert (view.context[0].text, view.options) == ("A pear is a fruit.", ("pear", "plum"))
    assert (view.steps, view.final_answer) == (tuple(CHAIN.steps), "11")
    assert view_of(PROBLEM, CHAIN).solution == "the-source's-solution"
    secret = {"origin", "polarity", "generator", "is_correct", "perturbation", "perturbed_step"}
    assert secret & {field.name for field in fields(View)} == set()
    assert CHAIN.generator not in repr(view)


MALFORMED: list[tuple[Any, str]] = [
    (None, "returned nothing, expected a list"),
    ("ccc", "returned `ccc`"),
    ({1: 2}, "a value of type dict"),
    ([], "returned 0 opinions, expected 3"),
    ([correct("")] * 4, "returned 4 opinions, expected 3"),
    ([correct(""), "correct", None], "step 2: found `correct`, expected an opinion"),
    ([Opinion("ok", "faithful")] * 3, "step 1: the label is `faithful`, expected correct or error"),
    ([Opinion("ok")] * 3, "the label is nothing"),
    ([Opinion("missing")] * 3, "the status is `missing`"),
    ([Opinion("abstained", "correct")] * 3, "an abstention has no label"),
    ([Opinion("ok", "correct", "other")] * 3, "expected none where the label is correct"),
    ([error("typo", "")] * 3, "the category is `typo`, expected one of mathematical_error"),
    ([error("accumulation_error", "")] * 3, "expected correct: a vote is about the step itself"),
    ([correct("", [0]), correct("", [2]), correct("", [3])], "step 2: a premise is `2`"),
    ([correct("", [0]), correct("", [2]), correct("", [3])], "step 3: a premise is `3`"),
    ([correct("", [True])] * 3, "a premise is `True`"),
    ([Opinion("ok", "correct", premises="0")] * 3, "the premises are `0`"),  # type: ignore[arg-type]
    ([correct(7)] * 3, "the explanation is `7`"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("said", "fault"), MALFORMED)
def test_a_wrong_return_is_malformed_with_what_was_wrong(make: Make, said: Any, fault: str) -> None:
    cast = votes(make(lambda view: said))
    assert [(v.step, v.task, v.status, v.label) for v in cast] == [
        (step, "error", "malformed", None) for step in (1, 2, 3)
    ]
    for vote in cast:
        assert fault in (vote.explanation or "")


ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(),
    lambda inner: st.lists(inner) | st.builds(Opinion, inner, inner, inner, inner, inner),
    max_leaves=15,
)


@given(ANYTHING, st.integers(1, 4))
def test_whatever_comes_back_is_read_or_refused(said: Any, steps: int) -> None:
    try:
        opinions = read_opinions(said, steps)
    except ValueError as fault:
        assert str(fault)
    else:
        assert len(opinions) == steps
        assert {opinion.status for opinion in opinions} <= {"ok", "abstained"}


def ends_the_program(view: View) -> list[Opinion]:
    sys.exit(3)


async def ends_the_program_later(view: View) -> list[Opinion]:
    sys.exit(3)


async def cancels_itself(view: View) -> list[Opinion]:
    raise asyncio.CancelledError


def stops_an_iteration(view: View) -> list[Opinion]:
    raise StopIteration


def divides(view: View) -> list[Opinion]:
    raise ZeroDivisionError("by \ud800")


@pytest.mark.parametrize(
    ("checker", "detail"),
    [
        (divides, "ZeroDivisionError: by"),
        (stops_an_iteration, "StopIteration"),
        (ends_the_program, "SystemExit: 3"),
        (ends_the_program_later, "SystemExit: 3"),
        (cancels_itself, "it cancelled itself"),
    ],
)
def test_an_exception_costs_the_votes_on_that_chain_alone(
    make: Make, checker: Any, detail: str
) -> None:
    uri = make(checker)
    batch = judging(uri, "program:arithmetic")
    assert Counter(reject.reason for reject in batch.rejects) == {"judge_failed": 3}
    assert all(detail in (reject.detail or "") for reject in batch.rejects)
    assert [reject.item for reject in batch.rejects] == [
        f"{CHAIN.chain_id}/{uri}/{place}" for place in (1, 2, 3)
    ]
    assert len(batch.rows["votes"]) == 3


def test_a_checker_that_is_stuck_is_left_behind(make: Make) -> None:
    released = threading.Event()
    seen: list[str] = []

    def check(view: View) -> list[Opinion]:
        seen.append(view.steps[0])
        if view.steps[0] == "stuck":
            released.wait()
        return [correct("")] * len(view.steps)

    chains = [CHAIN.model_copy(update={"steps": [word]}) for word in ("stuck", "a", "b")]
    recipe = a_recipe(annotation={"judges": [make(check, TIMEOUT_SECONDS=0.5)]})
    batch = run(VOTES, recipe, {"problems": [PROBLEM], "chains": chains}, lambda _: "")
    released.set()
    assert [reject.detail for reject in batch.rejects] == [
        "TimeoutError: it took longer than 0.5 s"
    ]
    assert len(batch.rows["votes"]) == 2
    assert seen == ["stuck", "a", "b"]


def test_a_coroutine_that_takes_too_long_is_ended(make: Make) -> None:
    async def check(view: View) -> list[Opinion]:
        await asyncio.sleep(3600)
        return []

    batch = judging(make(check, TIMEOUT_SECONDS=0.01))
    assert {reject.detail for reject in batch.rejects} == {
        "TimeoutError: it took longer than 0.01 s"
    }


def test_a_plain_checker_has_one_chain_at_a_time_and_one_thread(make: Make) -> None:
    inside = threading.Lock()
    threads: set[int] = set()

    def check(view: View) -> list[Opinion]:
        assert inside.acquire(blocking=False)
        threads.add(threading.get_ident())
        inside.release()
        return [correct("")] * len(view.steps)

    chains = [CHAIN.model_copy(update={"steps": [f"{n}"]}) for n in range(30)]
    recipe = a_recipe(annotation={"judges": [make(check)]})
    batch = run(VOTES, recipe, {"problems": [PROBLEM], "chains": chains}, lambda _: "")
    assert len(batch.rows["votes"]) == 30
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_it_counts_in_the_panel_and_is_calibrated(make: Make) -> None:
    uri = make(every_kind)
    recipe = a_recipe(annotation={"judges": [uri, "program:provenance"], "bootstrap": 0})
    assert panel_of(recipe, "math") == [uri, "program:provenance"]
    assert judges_of(recipe)[0] == CheckerJudge(uri.removeprefix("python:"))
    assert [judge_name(judge) for judge in judges_of(recipe)] == panel_of(recipe, "math")
    exact = [
        ExactLabel(
            chain_id=CHAIN.chain_id,
            step=step,
            label="error" if step == 2 else "correct",
            category="mathematical_error" if step == 2 else None,
            premises=[0],
            unresolved=[],
        )
        for step in (1, 2, 3)
    ]
    cast = run(VOTES, recipe, TABLES, lambda _: "").rows["votes"]
    assert LABELS.process is not None
    labels = LABELS.process(recipe, {**TABLES, "votes": cast, "exact": exact}).rows["labels"]
    found = statistics([{**TABLES, "exact": exact, "labels": labels}], recipe)
    scored = found["calibration"]["judges"][uri]
    assert scored["accuracy"]["value"] == 1.0
    assert scored["coverage"] == pytest.approx(2 / 3)


def test_a_checker_is_no_writer_and_stands_once(make: Make) -> None:
    uri = make(every_kind)
    with pytest.raises(ValueError, match="writes nothing"):
        a_recipe(chains={"model": {"models": [uri]}})
    with pytest.raises(ValueError, match="a second time"):
        a_recipe(annotation={"judges": [uri, uri]})
    assert load(uri.removeprefix("python:")).timeout is None
