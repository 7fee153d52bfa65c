"""The data of a report: texts come back as they were, chains are joined, listed and counted."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.release.site.chain_view import chain_views
from chainwright.release.site.detail import Chunk
from chainwright.release.site.figures import Figures
from chainwright.release.site.listing import FACETS, Facets, Shard, facets_of, outline
from chainwright.release.site.script_data import script_of, value_of
from chainwright.schemas.critique import Critique
from chainwright.schemas.human import HumanAnswer, HumanLabel
from chainwright.schemas.label import CastVote, ExactLabel
from chainwright.schemas.published import PublishedLabel
from tests.release.conftest import (
    make_chain,
    make_label,
    make_labels,
    make_negative,
    make_problem,
    make_vote,
)
from tests.release.site_rows import only, tables

SLY = "</script><script>alert(1)</script><!-- it's \\u2028 \u2028\u2029 \\' ' ]]> & \x00"


class Elements(HTMLParser):
    """The names of the elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.names.append(tag)


@given(st.text(), st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=9))
def test_any_text_comes_back_and_none_of_it_is_markup(name: str, value: Any) -> None:
    for text in (name, SLY):
        script = script_of(text, [value, {text: SLY}])
        assert value_of(script) == (text, [value, {text: SLY}])
        assert "<" not in script
        assert script.splitlines() == [script.rstrip("\n")] or not {"\u2028", "\u2029"} & {*script}
        parser = Elements()
        parser.feed(f"<script>{script}</script><p>")
        assert parser.names == ["script", "p"]


def test_lone_surrogates_travel_and_can_be_written() -> None:
    script = script_of("x", "a\ud800b")
    script.encode()
    assert value_of(script) == ("x", "a\ud800b")


@pytest.mark.parametrize("script", ["", "alert(1)", "chainwright.add('x', '1'); alert(1);\n"])
def test_what_is_no_data_is_refused(script: str) -> None:
    with pytest.raises(ValueError, match="no data of a page"):
        value_of(script)


def test_numbers_that_json_does_not_know_are_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        script_of("x", float("nan"))


def test_broken_chains_follow_their_positives_problem_by_problem() -> None:
    first, second = make_problem(1), make_problem(2)
    one, two = make_chain(first), make_chain(second)
    broken = make_negative(first, one)
    found = chain_views(tables(problems=[first, second], chains=[two, broken, one]))
    assert [view.chain for view in found] == [one, broken, two]


def test_a_chain_without_its_problem_is_passed_over_and_an_orphan_is_kept() -> None:
    problem = make_problem()
    orphan = make_negative(problem, make_chain(problem))
    stranger = make_chain(make_problem(9))
    found = chain_views(tables(problems=[problem], chains=[stranger, orphan]))
    assert only(found).chain == orphan


def test_everybody_who_said_something_of_a_step_is_heard_without_addresses() -> None:
    problem = make_problem()
    chain = make_chain(problem)
    said = HumanAnswer(
        annotator="ada@home", role="annotator", label="correct", category=None, premises=[0]
    )
    key: dict[str, Any] = {"chain_id": chain.chain_id, "step": 1}
    view = only(
        chain_views(
            tables(
                problems=[problem],
                chains=[chain],
                votes=[make_vote(chain, 1, "compat:small@http://gpu7.lan:8000/v1")],
                human_labels=[
                    HumanLabel(
                        **key,
                        label="correct",
                        category=None,
                        premises=[0],
                        settled="single",
                        assisted=False,
                        answers=[said],
                    )
                ],
                critiques=[
                    Critique(
                        **key, critic="local:m@http://10.0.0.1/v1", description="d", tags=["t"]
                    )
                ],
                published=[
                    PublishedLabel(
                        **key,
                        source="own",
                        format="perl",
                        label="correct",
                        category=None,
                        premises=None,
                        explanation=None,
                        verbatim="ok",
                    )
                ],
            )
        )
    )
    voices = view.voices[1]
    assert [(one.by, one.task) for one in voices] == [
        ("compat:small", "error"),
        ("annotator", "person"),  # who it was stays here
        ("local:m", "critique"),
        ("own", "published"),
    ]
    assert [one.why for one in voices[2:]] == ["d [t]", "ok"]


def test_a_step_waits_with_its_exact_label_until_it_is_labelled() -> None:
    problem = make_problem()
    chain = make_chain(problem)
    exact = [
        ExactLabel(
            chain_id=chain.chain_id,
            step=step,
            label="faithful" if step > 1 else "unfaithful",
            category=None if step > 1 else "confusion",
            premises=[step - 1],
            unresolved=[],
            propagated=step > 1,
        )
        for step in (1, 2, 3)
    ]
    view = only(chain_views(tables(problems=[problem], chains=[chain], exact=exact)))
    assert view.tier is None
    assert view.outcomes() == ["confusion", "faithful", "faithful"]
    assert outline(view, view.outcomes()) == "naa"
    assert facets_of(view, view.outcomes())["tier"] == ["not labelled"]
    chunk = Chunk()
    chunk.add(view)
    (document,) = chunk.document()["chains"]
    assert [step["source"] for step in document["steps"]] == ["exact"] * 3
    assert "tier" not in document["steps"][0]


def test_a_chain_of_which_nothing_is_known_is_listed() -> None:
    problem = make_problem()
    view = only(chain_views(tables(problems=[problem], chains=[make_chain(problem)])))
    assert view.outcomes() == [None, None, None]
    assert outline(view, view.outcomes()) == "---"
    found = facets_of(view, view.outcomes())
    assert (found["label"], found["category"], found["votes"]) == (
        ["not labelled"],
        [],
        ["no votes"],
    )
    figures = Figures()
    figures.add(view)
    document = figures.document()
    assert document["counts"] == {"chains": 1, "steps": 3}
    assert document["heat"] == []


@pytest.mark.parametrize(
    ("votes", "found"),
    [
        ([("correct", None), ("correct", None)], ["all agree"]),
        ([("correct", None), ("error", "other")], ["judges differ"]),
        ([("correct", None), None], ["a judge abstained"]),
        ([None, None], ["no votes"]),
    ],
)
def test_how_judges_stand_to_each_other(
    votes: list[tuple[Any, str | None] | None], found: list[str]
) -> None:
    problem = make_problem()
    chain = make_chain(problem, ["one"])
    cast = [
        CastVote(
            judge=f"program:{at}", status="ok", label=one[0], category=one[1], explanation=None
        )
        if one
        else CastVote(
            judge=f"program:{at}", status="abstained", label=None, category=None, explanation=None
        )
        for at, one in enumerate(votes)
    ]
    labels = [make_label(chain, 1, votes=cast)]
    view = only(chain_views(tables(problems=[problem], chains=[chain], labels=labels)))
    assert facets_of(view, view.outcomes())["votes"] == found


def test_a_panel_that_misses_an_exact_label_is_found() -> None:
    problem = make_problem()
    chain = make_chain(problem, ["one"])
    labels = [
        make_label(
            chain, 1, "other", label_source="exact", panel_label="correct", panel_category=None
        )
    ]
    view = only(chain_views(tables(problems=[problem], chains=[chain], labels=labels)))
    assert facets_of(view, view.outcomes())["votes"] == ["panel misses"]


def test_the_listing_has_a_column_for_each_facet_and_counts_its_values() -> None:
    problem = make_problem()
    positive = make_chain(problem)
    broken = make_negative(problem, positive)
    labels = [
        *make_labels(positive, "correct", "correct", None),
        *make_labels(broken, "mathematical_error", "accumulation_error", "accumulation_error"),
    ]
    facets = Facets()
    shard = Shard(facets)
    for view in chain_views(tables(problems=[problem], chains=[positive, broken], labels=labels)):
        shard.add(view)
    columns = shard.document()
    assert columns["outline"] == ["ccu", "naa"]
    assert columns["questions"] == [problem.question]
    assert (columns["errors"], columns["first"]) == ([0, 3], [0, 1])
    assert columns["parent"] == [None, positive.chain_id]
    assert all(len(columns[facet]) == 2 for facet in FACETS)
    named = {
        one["facet"]: dict(zip(one["values"], one["chains"], strict=True))
        for one in facets.document()
    }
    assert named["polarity"] == {"positive": 1, "synthetic_negative": 1}
    assert named["category"] == {"accumulation_error": 1, "mathematical_error": 1}
    assert named["label"] == {"correct": 1, "undecided": 1, "error": 1}
    assert shard.texts()[0] == "\n".join(positive.steps)
