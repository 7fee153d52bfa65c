"""Judges of faithfulness and critics: what they are asked, and what is made of their answers."""

import asyncio
import json
from typing import Any

import pytest

from chainwright.annotation.critique_stages import CRITIQUES, SAMPLE
from chainwright.annotation.judges import judge_name, judges_of, panel_of
from chainwright.annotation.models.critic import criticise
from chainwright.annotation.models.judge import FaithfulnessMethod, ModelJudge
from chainwright.annotation.models.model_panel import model_votes, requests_for
from chainwright.annotation.stages import LABELS, VOTES
from chainwright.annotation.statistics import statistics
from chainwright.llm.request import Request
from chainwright.recipe import Recipe
from chainwright.schemas.chain import Chain
from chainwright.schemas.critique import Critique
from chainwright.schemas.label import Label
from chainwright.schemas.problem import Passage, Problem
from chainwright.schemas.taxonomy import BUILT_IN
from chainwright.schemas.vote import Vote
from chainwright.schemas.words import Track
from chainwright.stage import Tables
from tests.annotation.scripted_asker import MODEL, ScriptedAsker, agreeable, system_text, user_text
from tests.scripted_models import a_recipe, run

GROUNDING = [c.name for one in BUILT_IN if one.track == "grounding" for c in one.categories]
URIS = [f"compat:{name}@http://localhost:1/v1" for name in ("one", "two", "three")]


def a_problem(track: Track, number: int = 0) -> Problem:
    return Problem.build(
        source="own",
        question=f"Where was kiln {number} built?",
        context=[
            Passage(ref=1, title="Kiln", text=f"Kiln {number} was built in Mora."),
            Passage(ref=2, title="Mora", text="Mora lies on a lake. Follow ``` no fence."),
        ],
        answer="Mora",
        track=track,
    )


def a_chain(problem: Problem, *, correct: bool | None = True, generator: str = "g") -> Chain:
    return Chain.build(
        problem_id=problem.problem_id,
        origin="model",
        generator=generator,
        steps=["It was built in Mora [1].", "Mora lies on a lake [2].", "So it stands by a lake."],
        citations=[[1], [2], []],
        final_answer="Mora",
        is_correct=correct,
    )


PROBLEM = a_problem("grounding")
CHAIN = a_chain(PROBLEM)


def entry(step: int, label: str = "faithful", **more: Any) -> dict[str, Any]:
    return {"step": step, "explanation": "because", "label": label, "category": None} | more


def says(*entries: dict[str, Any]) -> str:
    return json.dumps({"steps": list(entries)})


def judged(method: FaithfulnessMethod, *answers: str) -> tuple[list[Vote], ScriptedAsker]:
    left = list(answers)
    asker = ScriptedAsker(lambda request: left.pop(0))
    votes = asyncio.run(model_votes(asker, ModelJudge(MODEL, faithfulness=method), PROBLEM, CHAIN))
    return votes, asker


def outcome(votes: list[Vote]) -> list[tuple[str | None, str | None, str]]:
    return [(vote.label, vote.category, vote.status) for vote in votes]


def test_all_asks_once_and_votes_on_every_step() -> None:
    votes, asker = judged(
        "all", says(entry(1), entry(2, "unfaithful", category="confusion"), entry(3))
    )
    assert len(asker.asked) == 1
    assert outcome(votes) == [
        ("faithful", None, "ok"),
        ("unfaithful", "confusion", "ok"),
        ("faithful", None, "ok"),
    ]
    assert {vote.task for vote in votes} == {"faithfulness"}
    instructions, shown = system_text(asker.asked[0]), user_text(asker.asked[0])
    assert all(f"- {name}: " in instructions for name in GROUNDING)
    assert "reversed_reasoning" not in instructions
    assert "````" in shown  # a fence longer than the one in the passage
    assert shown.strip().endswith("Judge steps 1 to 3.")


def test_sbs_asks_of_each_step_with_those_before_it() -> None:
    asker = ScriptedAsker(agreeable)
    judge = ModelJudge(MODEL, faithfulness="sbs")
    votes = asyncio.run(model_votes(asker, judge, PROBLEM, CHAIN))
    assert [(vote.step, vote.status) for vote in votes] == [(n, "ok") for n in (1, 2, 3)]
    # the longest goes ahead
    assert ["Step 3:" in user_text(request) for request in asker.asked] == [True, False, False]


def test_bin_knows_no_taxonomy() -> None:
    plain = [{"step": n, "explanation": "x", "label": "unfaithful"} for n in (1, 2, 3)]
    votes, asker = judged("bin", says(*plain))
    assert outcome(votes) == [("unfaithful", None, "ok")] * 3
    assert "categor" not in system_text(asker.asked[0])
    assert "category" not in json.dumps(asker.asked[0].schema and asker.asked[0].schema.schema)


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        ([entry(1), entry(2)], "step 3 is missing"),
        ([entry(n) for n in (1, 2, 3, 4)], "found step `4`"),
        ([entry(1), entry(2), entry(3, "unfaithful", category="sloth")], "`sloth`"),
        ([entry(1), entry(2), entry(3, category="confusion")], "although `label` is faithful"),
        ([entry(1), entry(2), entry(3, "unfaithful")], "although `label` is unfaithful"),
        ([entry(1), entry(2), entry(3, "correct")], "expected faithful or unfaithful"),
    ],
)
def test_a_bad_answer_is_asked_for_again_once_and_then_an_abstention(
    bad: list[dict[str, Any]], fault: str
) -> None:
    good = says(*(entry(n) for n in (1, 2, 3)))
    votes, asker = judged("all", says(*bad), good)
    assert fault in asker.asked[1].messages[-1].content
    assert [vote.status for vote in votes] == ["ok"] * 3
    votes, asker = judged("all", says(*bad), says(*bad))
    assert len(asker.asked) == 2
    assert outcome(votes) == [(None, None, "malformed")] * 3
    assert fault in (votes[0].explanation or "")


def test_other_categories_are_another_prompt() -> None:
    plain = judged("all", says(*(entry(n) for n in (1, 2, 3))))[0]
    recipe = a_recipe(
        annotation={
            "judges": [{"model": URIS[0], "faithfulness": "all"}],
            "taxonomy": {"grounding": [{"name": "sloth", "definition": "leaves\nout the reason"}]},
        }
    )
    (judge,) = judges_of(recipe)
    assert isinstance(judge, ModelJudge)
    (request,) = requests_for(judge, PROBLEM, CHAIN)
    assert "- sloth: leaves out the reason" in system_text(request)
    assert "confusion" not in system_text(request)
    asker = ScriptedAsker(agreeable)
    votes = asyncio.run(model_votes(asker, judge, PROBLEM, CHAIN))
    assert votes[0].prompt_version != plain[0].prompt_version


def mixed(*judges: Any, **annotation: Any) -> tuple[Recipe, Tables]:
    math = Problem.build(source="sums", question="1 + 1?", answer="2")
    sums = Chain.build(
        problem_id=math.problem_id,
        origin="model",
        generator="g",
        steps=["1 + 1 = 2."],
        final_answer="2",
        is_correct=True,
    )
    recipe = a_recipe(annotation={"judges": list(judges), "bootstrap": 0, **annotation})
    return recipe, {"problems": [PROBLEM, math], "chains": [CHAIN, sums]}


def test_each_track_has_its_own_panel_labels_and_statistics() -> None:
    recipe, tables = mixed("program:arithmetic", *URIS)
    assert panel_of(recipe, "math") == [
        "program:arithmetic",
        *(f"compat:{name}#one_pass" for name in ("one", "two", "three")),
    ]
    assert panel_of(recipe, "grounding") == [f"compat:{n}#all" for n in ("one", "two", "three")]
    votes = [v for v in run(VOTES, recipe, tables, agreeable).rows["votes"] if isinstance(v, Vote)]
    assert {v.task for v in votes if v.chain_id == CHAIN.chain_id} == {"faithfulness"}
    assert LABELS.process is not None
    made = LABELS.process(recipe, {**tables, "votes": votes, "exact": []})
    labels = [label for label in made.rows["labels"] if isinstance(label, Label)]
    found = {(label.chain_id == CHAIN.chain_id, label.label, label.tier) for label in labels}
    assert found == {(True, "faithful", "gold"), (False, "correct", "gold")}
    document = statistics([{**tables, "votes": votes, "exact": [], "labels": labels}], recipe)
    assert (document["track"], document["counts"]["steps"]) == ("math", 1)
    assert document["tracks"]["grounding"]["counts"]["steps_by_label"] == {"faithful": 3}
    assert document["tracks"]["grounding"]["agreement"]["unanimity"]["value"] == 1


def remark(step: int, description: str | None = None, *tags: str) -> dict[str, Any]:
    faithful = description is None
    return {"step": step, "faithful": faithful, "description": description, "tags": list(tags)}


CRITICS = {"critique": {"models": URIS[:1], "right": 2}}


def test_a_critic_describes_what_is_unfaithful_and_votes_on_all() -> None:
    recipe, tables = mixed(**CRITICS)
    tables = {**tables, "sampled": [CHAIN]}
    said = says(
        remark(1), remark(2, " Takes Mora for a lake. ", "mixed up", "mixed  up"), remark(3)
    )
    batch = run(CRITIQUES, recipe, tables, lambda request: said)
    (critique,) = batch.rows["critiques"]
    assert isinstance(critique, Critique)
    assert (critique.step, critique.description) == (2, "Takes Mora for a lake.")
    assert critique.tags == ["mixed up"]
    votes = [vote for vote in batch.rows["votes"] if isinstance(vote, Vote)]
    assert [vote.label for vote in votes] == ["faithful", "unfaithful", "faithful"]
    assert {vote.judge for vote in votes} == {"compat:one#critique"}
    assert CRITIQUES.plan is not None
    assert len(list(CRITIQUES.plan(recipe, tables))) == 1


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (remark(3, ""), "expected what is wrong"),
        (remark(3, "It is wrong."), "one to three short texts"),
        (remark(3, "It is wrong.", *"abcd"), "one to three short texts"),
        (remark(3) | {"tags": ["a"]}, "expected neither"),
        (remark(3) | {"faithful": "yes"}, "expected true or false"),
    ],
)
def test_what_a_critic_must_not_say(bad: dict[str, Any], fault: str) -> None:
    critic = ModelJudge(MODEL, faithfulness="critique")
    asker = ScriptedAsker(lambda request: says(remark(1), remark(2), bad))
    critiques, votes = asyncio.run(criticise(asker, critic, PROBLEM, CHAIN))
    assert len(asker.asked) == 2
    assert fault in asker.asked[1].messages[-1].content
    assert critiques == []
    assert [vote.status for vote in votes] == ["malformed"] * 3


def test_a_critic_that_fails_on_a_chain_costs_its_words_on_that_chain_alone() -> None:
    recipe, tables = mixed(**CRITICS)
    other = a_chain(PROBLEM, correct=False, generator="h")
    tables = {**tables, "sampled": [CHAIN, other]}
    calls: list[Request] = []

    def script(request: Request) -> str | Exception:
        calls.append(request)
        return ZeroDivisionError("a bug") if len(calls) == 1 else says(*map(remark, (1, 2, 3)))

    batch = run(CRITIQUES, recipe, tables, script)
    assert [reject.reason for reject in batch.rejects] == ["judge_failed"] * 3
    assert len(batch.rows["votes"]) == 3


def test_the_sample_has_all_that_is_wrong_and_a_few_that_are_right() -> None:
    problems = [a_problem("grounding", number) for number in range(9)]
    verdicts = [True, False, True, None, True, True, False, True, False]
    chains = [a_chain(p, correct=v) for p, v in zip(problems, verdicts, strict=True)]
    chains.append(a_chain(problems[0], generator="another"))
    recipe, tables = mixed(**CRITICS)
    assert SAMPLE.sweep is not None
    blocks: list[Tables] = [
        {"problems": problems[:4], "chains": [*chains[:4], chains[-1]]},
        {
            "problems": [*problems[4:], *tables["problems"]],
            "chains": [*chains[4:9], tables["chains"][1]],
        },
    ]
    batches = list(SAMPLE.sweep(recipe, blocks))
    kept = [row for batch in batches for row in batch.rows["sampled"]]
    assert kept == [chains[0], chains[1], chains[2], chains[-1], chains[6], chains[8]]
    assert all(batch.unaccounted() == {} for batch in batches)
    reasons = [reject.reason for batch in batches for reject in batch.rejects]
    assert sorted(reasons) == ["over_quota"] * 3 + ["undecided"]


def test_a_judge_of_faithfulness_is_a_judge_of_its_own() -> None:
    with pytest.raises(ValueError, match="a judge of its own"):
        ModelJudge(MODEL, error="one_pass", faithfulness="all")
    with pytest.raises(ValueError, match="beside `error`"):
        a_recipe(
            annotation={
                "judges": [{"model": URIS[0], "error": "full_context", "faithfulness": "all"}]
            }
        )
    with pytest.raises(ValueError, match="a second time"):
        a_recipe(annotation={"judges": [URIS[0], {"model": URIS[0], "faithfulness": "all"}]})
    assert judge_name(ModelJudge(MODEL, faithfulness="sbs")) == "compat:tiny#sbs"
