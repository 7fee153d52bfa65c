"""Generation, selection and perturbation as stages: quotas, rejects and accounts."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from chainwright.builders.model_stages import GENERATION, PERTURBATION, SELECTION
from chainwright.builders.selection import most_selected, select
from chainwright.llm.ledger_file import LedgerError
from chainwright.llm.request import ModelUnavailable, Request
from chainwright.recipe import Recipe
from chainwright.schemas.chain import Chain
from chainwright.schemas.problem import Problem
from chainwright.stage import Batch, Tables, is_drawn
from tests.scripted_models import UNAVAILABLE, Scripted, a_recipe, run, solution, text_of

MODEL = "compat:one@http://localhost:1/v1"
OTHER = "compat:two@http://localhost:1/v1"
PROBLEMS = [
    Problem.build(source="even" if n % 2 == 0 else "odd", question=f"What is {n} + 1?",
                  answer=str(n + 1), answer_kind="number", solution=f"{n} + 1 = {n + 1}")
    for n in range(6)
]  # fmt: skip
NUMBERS = {problem.question: n for n, problem in enumerate(PROBLEMS)}


def writing(*models: str, **more: Any) -> Recipe:
    return a_recipe(chains={"model": {"models": list(models) or [MODEL]}} | more)


def number_in(request: Request) -> int:
    return next(n for question, n in NUMBERS.items() if question in text_of(request))


def solves(request: Request) -> str:
    n = number_in(request)
    return solution(f"{n} + 1 = {n + 1}.", f"So {n + 1}.", answer=str(n + 1))


def reasons(batch: Batch) -> Counter[tuple[str, str]]:
    return Counter((reject.table, reject.reason) for reject in batch.rejects)


def a_chain(problem: Problem, right: bool | None = True, origin: Any = "model") -> Chain:
    return Chain.build(
        problem_id=problem.problem_id,
        origin=origin,
        generator=f"{MODEL} {right}",
        steps=["Then 1 more."],
        final_answer="?",
        is_correct=right,
    )


def test_every_model_writes_so_many_chains_for_every_problem() -> None:
    recipe = a_recipe(chains={"model": {"models": [MODEL, OTHER], "samples": 2}})
    calls: Counter[int] = Counter()

    def script(request: Request) -> str:
        # asked twice for the same: the client answers the second time from its ledger
        key = hash((str(request.model), request.sample, number_in(request)))
        calls[key] += 1
        return solution(f"Take {key}.", answer=str(number_in(request) + 1))

    batch = run(GENERATION, recipe, {"problems": PROBLEMS}, script)
    found = Counter((c.problem_id, c.generator) for c in batch.rows["generated"])  # type: ignore[attr-defined]
    assert set(found.values()) == {2}
    assert len(found) == 12
    assert batch.taken == {"generated": 24}
    plan = GENERATION.plan
    assert plan is not None
    planned = list(plan(recipe, {"problems": PROBLEMS}))
    assert len(planned) == len(calls) == 24
    assert GENERATION.most is not None
    assert GENERATION.most(recipe, {"problems": 6}) == {"generated": 24}


def test_settings_of_the_recipe_are_in_the_requests() -> None:
    recipe = a_recipe(
        chains={"model": {"models": [MODEL], "temperature": 0.5, "max_tokens": 77, "samples": 2}}
    )
    plan = GENERATION.plan
    assert plan is not None
    first, second, *_ = plan(recipe, {"problems": PROBLEMS})
    assert (first.temperature, first.max_tokens, first.sample, second.sample) == (0.5, 77, 0, 1)
    # one seed for all would give every sample the same text
    assert (first.seed, second.seed) == (recipe.seed, recipe.seed + 1)


def test_a_share_of_the_problems_is_drawn() -> None:
    recipe = a_recipe(chains={"model": {"models": [MODEL, OTHER], "share": 0.5}}, seed=2)
    plan = GENERATION.plan
    assert plan is not None
    planned = list(plan(recipe, {"problems": PROBLEMS}))
    drawn = [problem for problem in PROBLEMS if is_drawn(problem.problem_id, 0.5, 2)]
    assert 0 < len(drawn) < len(PROBLEMS)
    assert len(planned) == 2 * len(drawn)
    batch = run(GENERATION, recipe, {"problems": PROBLEMS}, solves)
    assert batch.taken == {"generated": 2 * len(drawn)}
    assert GENERATION.most is not None
    assert GENERATION.most(recipe, {"problems": 7}) == {"generated": 7}


def test_the_same_text_twice_is_a_reject() -> None:
    recipe = a_recipe(chains={"model": {"models": [MODEL, OTHER], "samples": 2}})
    batch = run(GENERATION, recipe, {"problems": PROBLEMS[:2]}, solves)
    assert len(batch.rows["generated"]) == 2
    assert reasons(batch) == {("generated", "duplicate_chain"): 6}


def test_an_answer_that_makes_no_chain_costs_that_chain_alone() -> None:
    def script(request: Request) -> str | Exception:
        answers: list[str | Exception] = [
            "",
            '{"steps": []}',
            solution("half \ud800", answer="1"),
            ZeroDivisionError("a bug\ud800"),
            "Step 1: 4 + 1 = 5.\n\nThe answer is 5.",
        ]
        n = number_in(request)
        return answers[n] if n < 5 else solves(request)

    batch = run(GENERATION, writing(), {"problems": PROBLEMS}, script)
    assert len(batch.rows["generated"]) == 2
    assert reasons(batch) == {
        ("generated", "malformed"): 3,
        ("generated", "generation_failed"): 1,
    }
    assert {reject.item for reject in batch.rejects} == {
        f"{problem.problem_id}/{MODEL}/0" for problem in PROBLEMS[:4]
    }


@pytest.mark.parametrize("stop", [UNAVAILABLE, LedgerError("disk full")])
def test_what_no_row_is_to_blame_for_ends_the_stage(stop: Exception) -> None:
    with pytest.raises(type(stop), match=str(stop)):
        run(GENERATION, writing(), {"problems": PROBLEMS}, lambda request: stop)
    recipe = a_recipe(negatives={"model": {"model": MODEL}})
    parents = [a_chain(problem) for problem in PROBLEMS]
    with pytest.raises(type(stop), match=str(stop)):
        run(PERTURBATION, recipe, {"problems": PROBLEMS, "parents": parents}, lambda _: stop)


def selected(
    recipe: Recipe, *blocks: tuple[list[Problem], list[Chain], list[Chain]]
) -> list[Batch]:
    tables: list[Tables] = [
        {"problems": problems, "generated": generated, "chains": chains}
        for problems, generated, chains in blocks
    ]
    batches = list(select(recipe, tables))
    assert all(batch.unaccounted() == {} for batch in batches)
    return batches


def places(rows: Iterable[Any]) -> list[int]:
    ids = [problem.problem_id for problem in PROBLEMS]
    return [ids.index(row.problem_id) for row in rows]


@pytest.mark.parametrize("size", [1, 2, 6])
def test_quotas_count_per_source_and_polarity_over_all_blocks(size: int) -> None:
    recipe = writing(keep={"positive": 2, "negative": 1})
    generated = {p.problem_id: [a_chain(p), a_chain(p, False), a_chain(p, None)] for p in PROBLEMS}
    cut = [PROBLEMS[at : at + size] for at in range(0, 6, size)]
    batches = selected(
        recipe, *[(block, [c for p in block for c in generated[p.problem_id]], []) for block in cut]
    )
    kept: list[Any] = [chain for batch in batches for chain in batch.rows["chains"]]
    assert places(c for c in kept if c.is_correct) == [0, 1, 2, 3]
    assert places(c for c in kept if c.is_correct is False) == [0, 1]
    total = sum((reasons(batch) for batch in batches), Counter[tuple[str, str]]())
    assert total == {("chains", "over_quota"): 6, ("chains", "undecided"): 6}


def test_one_quota_leaves_the_other_polarity_alone_and_bars_the_undecided() -> None:
    chains = [a_chain(p, right) for p in PROBLEMS for right in (True, False, None)]
    (batch,) = selected(writing(keep={"negative": 0}), (PROBLEMS, chains, []))
    assert len(batch.rows["chains"]) == 6
    assert reasons(batch) == {("chains", "over_quota"): 6, ("chains", "undecided"): 6}


def test_without_quotas_all_are_kept_but_what_the_rows_brought_along() -> None:
    chains = [a_chain(p, right) for p in PROBLEMS for right in (True, False, None)]
    (batch,) = selected(writing(), (PROBLEMS, chains, [chains[3]]))
    assert batch.rows["chains"] == [*chains[:3], *chains[4:]]
    assert reasons(batch) == {("chains", "duplicate_chain"): 1}
    assert batch.rows["parents"] == []


def breaking(limit: int | None = None, **parts: Any) -> Recipe:
    return a_recipe(negatives={"model": {"model": MODEL, "limit": limit}}, **parts)


def test_the_kept_positives_of_models_are_to_be_broken() -> None:
    recipe = breaking(chains={"model": {"models": [MODEL]}, "keep": {"positive": 2}})
    chains = [a_chain(p, right) for p in PROBLEMS for right in (True, False)]
    references = [a_chain(p, origin="reference") for p in PROBLEMS]
    (batch,) = selected(recipe, (PROBLEMS, chains, references))
    assert places(batch.rows["parents"]) == [0, 1, 2, 3]
    assert {chain.origin for chain in batch.rows["parents"]} == {"model"}  # type: ignore[attr-defined]


def test_without_models_reference_chains_are_to_be_broken_up_to_the_limit() -> None:
    unknown = Problem.build(source="even", question="Why?")
    problems = [unknown, *PROBLEMS]
    references = [a_chain(p, origin="reference") for p in problems]
    brought = [a_chain(p) for p in PROBLEMS]
    batches = selected(
        breaking(limit=1),
        (problems[:4], [], [*references[:4], *brought[:3]]),
        (problems[4:], [], references[4:]),
    )
    parents = [row for batch in batches for row in batch.rows["parents"]]
    assert places(parents) == [0, 1]
    total = sum((reasons(batch) for batch in batches), Counter[tuple[str, str]]())
    assert total == {("parents", "over_limit"): 4, ("parents", "no_answer"): 1}
    assert all(batch.rows["chains"] == [] for batch in batches)


@pytest.mark.parametrize(
    ("recipe", "counts", "most"),
    [
        (writing(), {"generated": 9}, {"chains": 9, "parents": 0}),
        (
            writing(keep={"positive": 2, "negative": 3}),
            {"generated": 9},
            {"chains": 5, "parents": 0},
        ),
        (writing(keep={"positive": 2}), {"generated": 9}, {"chains": 9, "parents": 0}),
        (breaking(limit=4), {"chains": 7}, {"chains": 0, "parents": 4}),
        (breaking(), {"chains": 7}, {"chains": 0, "parents": 7}),
        (
            breaking(chains={"model": {"models": [MODEL]}, "keep": {"positive": 2}}),
            {"generated": 9, "chains": 7},
            {"chains": 9, "parents": 2},
        ),
    ],
)
def test_the_most_that_can_be_selected(
    recipe: Recipe, counts: dict[str, int], most: dict[str, int]
) -> None:
    assert most_selected(recipe, counts) == most


def parent(problem: Problem) -> Chain:
    n = NUMBERS[problem.question]
    return Chain.build(
        problem_id=problem.problem_id,
        origin="model",
        generator=MODEL,
        steps=[f"{n} + 1 = {n + 1}.", f"So it is {n + 1}."],
        final_answer=str(n + 1),
        is_correct=True,
    )


def test_every_parent_is_broken_once_or_rejected_by_its_gate() -> None:
    tables: Tables = {"problems": PROBLEMS, "parents": [parent(problem) for problem in PROBLEMS]}

    def script(request: Request) -> str:
        n = number_in(request)
        if n == 0:
            return solution("0 + 1 = 1.", "So it is 1.", answer="1")
        at = 1 if "Make step 1 wrong" in text_of(request) else 2
        first = n + 9 if at == 1 else n + 1
        return solution(f"{n} + 1 = {first}.", f"So it is {n + 9}.", answer=str(n + 9))

    batch = run(PERTURBATION, breaking(), tables, script)
    made: list[Any] = batch.rows["chains"]
    assert places(made) == [1, 2, 3, 4, 5]
    assert {chain.polarity for chain in made} == {"synthetic_negative"}
    assert {chain.parent_id for chain in made} == {c.chain_id for c in tables["parents"][1:]}
    assert [reject.reason for reject in batch.rejects] == ["step_unchanged"]
    assert PERTURBATION.plan is not None
    assert len(list(PERTURBATION.plan(breaking(), tables))) == 6


def test_error_types_are_the_recipes() -> None:
    tables: Tables = {"problems": PROBLEMS, "parents": [parent(problem) for problem in PROBLEMS]}
    recipe = a_recipe(
        negatives={"model": {"model": MODEL, "error_types": ["logical_inconsistency"]}}
    )
    assert PERTURBATION.plan is not None
    texts = [text_of(request) for request in PERTURBATION.plan(recipe, tables)]
    assert all("an inference that does not follow" in text for text in texts)


def test_stages_are_wanted_where_the_recipe_asks_for_them() -> None:
    stages = (GENERATION, SELECTION, PERTURBATION)

    def wanted(recipe: Recipe) -> list[bool]:
        return [stage.wanted(recipe) for stage in stages]

    assert wanted(a_recipe()) == [False, False, False]
    assert wanted(writing()) == [True, True, False]
    assert wanted(breaking()) == [False, True, True]


def test_stages_depend_on_their_own_keys() -> None:
    one, other = breaking(limit=3), breaking(limit=4)
    assert SELECTION.settings(one) != SELECTION.settings(other)
    assert PERTURBATION.settings(one) == PERTURBATION.settings(other)
    busy = breaking(limit=3, requests={"concurrency": 2})
    assert PERTURBATION.settings(one) == PERTURBATION.settings(busy)


def test_a_model_that_is_away_is_not_asked_for_every_row() -> None:
    asker = Scripted(lambda request: UNAVAILABLE)
    recipe = writing(MODEL)

    async def batch() -> Batch:
        assert GENERATION.ask is not None
        return await GENERATION.ask(recipe, {"problems": PROBLEMS * 100}, asker)

    with pytest.raises(ModelUnavailable):
        asyncio.run(batch())
    assert len(asker.asked) <= 2 * recipe.requests.concurrency
