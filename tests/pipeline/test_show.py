import io
from pathlib import Path

import pytest

from chainwright.pipeline.build import build
from chainwright.pipeline.errors import InputMistake
from chainwright.pipeline.run_folder import RunFolder
from chainwright.pipeline.screens.chain_card import ChainCard, chain_card, chain_list
from chainwright.pipeline.screens.show import draw_chain, draw_list
from chainwright.pipeline.screens.terminal import console
from chainwright.schemas.chain import Chain, Perturbation
from chainwright.schemas.label import CastVote, ExactLabel, Label
from chainwright.schemas.problem import Passage, Problem
from chainwright.schemas.vote import Vote
from tests.pipeline.small_line import small_line, write_recipe

HOSTILE = "[bold red]x[/] \x1b[2J\x1b]0;title\x07 [/nonsense] \u202eback :smile:"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    folder = tmp_path_factory.mktemp("show")
    build(write_recipe(folder), folder, quiet=True, line=small_line())
    return RunFolder(folder / "small")


def drawn(card: ChainCard) -> str:
    file = io.StringIO()
    draw_chain(card, console(file))
    return file.getvalue()


def hostile_card() -> ChainCard:
    problem = Problem.build(
        source="web",
        question=f"Why? {HOSTILE}",
        context=[Passage(ref=1, title=HOSTILE, text=HOSTILE)],
        options=[HOSTILE],
        answer=HOSTILE,
        licence=HOSTILE,
        origin_ref=HOSTILE,
    )
    chain = Chain.build(
        problem_id=problem.problem_id,
        origin="synthetic",
        generator=HOSTILE,
        steps=[HOSTILE, "Second."],
        citations=[[1], []],
        final_answer=HOSTILE,
        is_correct=False,
        parent_id=f"c-{'0' * 20}",
        perturbed_step=2,
        perturbation=Perturbation(error_type="other", kind=HOSTILE, before=HOSTILE, after=HOSTILE),
    )
    vote = Vote(
        chain_id=chain.chain_id,
        step=1,
        task="error",
        judge=HOSTILE,
        prompt_version="1",
        label="error",
        category=HOSTILE,
        premises=None,
        explanation=HOSTILE,
        status="ok",
        request_key=None,
    )
    label = Label(
        chain_id=chain.chain_id,
        step=1,
        label="error",
        category=HOSTILE,
        premises=[0],
        label_source="panel",
        tier="disputed",
        binary_tier="gold",
        reason=HOSTILE,
        panel_label="error",
        panel_category=HOSTILE,
        panel_premises=[],
        votes=[
            CastVote(judge=HOSTILE, status="ok", label="error", category=None, explanation=None)
        ],
    )
    return ChainCard(chain, problem, {}, {1: label}, {1: [vote]})


def test_hostile_text_is_printed_and_does_nothing() -> None:
    text = drawn(hostile_card())
    assert not set(text) & set("\x1b\x07\u202e")
    for piece in ("[bold red]x[/]", r"\x1b[2J", "[/nonsense]", r"\u202eback", ":smile:"):
        assert text.count(piece) >= 10


def test_a_list_with_a_hostile_generator_is_harmless(run: RunFolder) -> None:
    found = chain_list(run)
    hostile = found.chains[0]._replace(generator=HOSTILE)
    file = io.StringIO()
    draw_list(type(found)(found.run, None, [hostile], 1), console(file))
    assert r"\x1b[2J" in file.getvalue()
    assert "\x1b" not in file.getvalue()


def test_a_chain_is_drawn_with_premises_labels_votes_and_its_fault(run: RunFolder) -> None:
    chain_id = chain_list(run, "synthetic_negative").chains[0].chain_id
    lines = drawn(chain_card(run, chain_id)).splitlines()
    text = "\n".join(line.rstrip() for line in lines)
    assert f"{chain_id} · synthetic_negative · origin synthetic · by small 0 · tier silver" in text
    assert "made wrong at step 1: mathematical_error, slip: 1+1=2 became 1+1=3" in text
    assert "  1 <- 0  mathematical_error  exact, silver  made wrong here\n    1 + 1 = 3" in text
    assert "  2 <- 1  accumulation_error  exact, silver" in text
    assert "panel: mathematical_error  against accumulation_error by construction" in text
    assert "program:arithmetic mathematical_error  program:arithmetic looked at So 3." in text


def test_steps_without_labels_say_so() -> None:
    card = hostile_card()
    exact = ExactLabel(
        chain_id=card.chain.chain_id,
        step=1,
        label="correct",
        category=None,
        premises=[],
        unresolved=[],
    )
    text = drawn(ChainCard(card.chain, None, {1: exact}, {}, {}))
    assert "1 <- nothing  correct  exact, not judged yet" in text
    assert "2  no label yet" in text
    assert "(not in this run)" in text
    assert "tier none yet" in text


def test_a_faithful_step_that_goes_on_from_an_unfaithful_one_is_marked() -> None:
    card = hostile_card()
    exact = ExactLabel(
        chain_id=card.chain.chain_id,
        step=1,
        label="faithful",
        category=None,
        premises=[0],
        unresolved=[],
        propagated=True,
    )
    text = drawn(ChainCard(card.chain, None, {1: exact}, {}, {}))
    assert "1 <- 0  faithful  exact, not judged yet  propagated" in text


def test_votes_on_the_whole_chain_stand_above_the_steps() -> None:
    card = hostile_card()
    changes = {"step": 0, "task": "chain", "category": "missing_steps", "judge": "openai:m"}
    vote = card.votes[1][0].model_copy(update=changes)
    text = drawn(ChainCard(card.chain, card.problem, {}, card.labels, {0: [vote]}))
    assert "the whole chain: openai:m missing_steps" in text


@pytest.mark.parametrize(
    ("status", "expected"), [("malformed", "error: malformed"), ("abstained", "error: abstained")]
)
def test_a_vote_that_is_none_shows_its_state(status: str, expected: str) -> None:
    card = hostile_card()
    vote = card.votes[1][0].model_copy(update={"status": status, "label": None, "category": None})
    assert expected in drawn(ChainCard(card.chain, card.problem, {}, card.labels, {1: [vote]}))


def test_a_prefix_is_enough_where_it_is_unique(run: RunFolder) -> None:
    for row in chain_list(run).chains:
        for given in (row.chain_id, row.chain_id[:14], row.chain_id[2:14]):
            card = chain_card(run, given)
            assert card.chain.chain_id == row.chain_id
            assert card.problem is not None
            assert card.problem.problem_id == card.chain.problem_id
            assert sorted(card.votes) == sorted(card.labels) == [1, 2]


def test_an_ambiguous_prefix_names_candidates(run: RunFolder) -> None:
    with pytest.raises(InputMistake, match=r"14 chains have ids that begin with 'c-': c-[0-9a-f]"):
        chain_card(run, "c-")


def test_an_unknown_id_names_the_nearest_and_how_to_list_ids(run: RunFolder) -> None:
    known = chain_list(run).chains[3].chain_id
    mistyped = known[:-1] + ("0" if known[-1] != "0" else "1")
    with pytest.raises(InputMistake) as mistake:
        chain_card(run, mistyped)
    assert f"nearest: {known}" in str(mistake.value)
    assert f"`chainwright show {run.path}` lists ids" in str(mistake.value)


@pytest.mark.parametrize(
    ("polarity", "total"),
    [(None, 14), ("positive", 7), ("synthetic_negative", 7), ("negative", 0), ("undecided", 0)],
)
def test_lists_take_a_polarity_and_a_limit(
    run: RunFolder, polarity: str | None, total: int
) -> None:
    found = chain_list(run, polarity, limit=5)
    assert found.total == total
    assert len(found.chains) == min(5, total)
    assert {row.polarity for row in found.chains} <= {polarity or "positive", "synthetic_negative"}


def test_a_run_without_chains_has_nothing_to_show(tmp_path: Path) -> None:
    assert chain_list(RunFolder(tmp_path)).total == 0
    with pytest.raises(InputMistake, match="holds no chains yet"):
        chain_card(RunFolder(tmp_path), "c-1")
