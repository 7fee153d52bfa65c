"""The two evaluators: what a fact table and a rule book bear out, and what each category means."""

import pytest

from chainwright.builders.worlds.facts import Claim, FactTable, Query, best, solve
from chainwright.builders.worlds.plan import DeadEndError
from chainwright.builders.worlds.rules import Rule, RuleBook, RuleClaim
from chainwright.schemas.words import FAITHFULNESS_ERRORS, FaithfulnessError

TABLE = FactTable(
    {
        ("tern", "skipper"): "Ada",
        ("petrel", "skipper"): "Ines",
        ("tern", "bicycles"): True,
        ("petrel", "bicycles"): True,
        ("tern", "seats"): 40,
        ("petrel", "seats"): 60,
    },
    {("petrel", "seats"): 30},
)

BOOK = RuleBook(
    frozenset({("nell", "tested"), ("nell", "paid"), ("nell", "red band"), ("nell", "early")}),
    {("nell", "missed"): 2},
    (
        Rule(("tested",), "able"),
        Rule(("warned",), "red band"),
        Rule((), "grounded", limit=("missed", 3)),
        Rule(("able", "paid"), "may row", unless=("warned", "deferred", "grounded")),
    ),
    (("early", "deferred"),),
    {"the captain": True},
)


def test_a_later_change_counts_and_the_first_value_stays_known() -> None:
    assert TABLE.value("petrel", "seats") == 30
    assert TABLE.supports(Claim("base", "petrel", "seats", 60))
    assert TABLE.supports(Claim("changed", "petrel", "seats", 30))
    assert not TABLE.supports(Claim("current", "petrel", "seats", 60))
    assert not TABLE.supports(Claim("unchanged", "petrel", "seats", 60))
    assert TABLE.supports(Claim("unchanged", "tern", "seats", 40))
    assert TABLE.supports(Claim("silent", "petrel", "crane"))


@pytest.mark.parametrize(
    ("category", "claim"),
    [
        ("groundedness_violation", Claim("changed", "tern", "seats", 44)),
        ("contradiction", Claim("current", "tern", "bicycles", False)),
        ("confusion", Claim("current", "tern", "skipper", "Ines")),
        ("evidence_neglect", Claim("silent", "tern", "skipper")),
        ("evidence_neglect", Claim("unchanged", "petrel", "seats", 60)),
    ],
)
def test_grounding_categories(category: FaithfulnessError, claim: Claim) -> None:
    assert [name for name in FAITHFULNESS_ERRORS["grounding"] if TABLE.is_a_case(name, claim)] == [
        category
    ]
    assert TABLE.assuming(claim).supports(claim)


@pytest.mark.parametrize(
    "claim",
    [
        Claim("current", "tern", "skipper", "Ada"),
        Claim("current", "tern", "skipper", "Nobody of the table"),
        Claim("silent", "tern", "crane"),
        Claim("changed", "petrel", "seats", 31),
    ],
)
def test_what_is_true_or_wrong_otherwise_is_no_case(claim: Claim) -> None:
    assert not any(TABLE.is_a_case(name, claim) for name in FAITHFULNESS_ERRORS["grounding"])


def test_least_and_most_and_their_dead_ends() -> None:
    assert best({"a": 1, "b": 2}, "least") == "a"
    assert best({"a": 1, "b": 2}, "most") == "b"
    none: dict[str, int] = {}
    for values, reason in ((none, "no_candidate"), ({"a": 1, "b": 1}, "tie")):
        with pytest.raises(DeadEndError) as caught:
            best(values, "least")
        assert caught.value.reason == reason


def test_what_the_passages_do_not_tell_has_no_answer() -> None:
    query = Query("hop_compare", ("tern", "petrel"), person="skipper", number="years")
    assert solve(TABLE, query) is None
    same = TABLE.assuming(Claim("current", "tern", "skipper", "Ines"))
    with pytest.raises(DeadEndError):
        solve(same, query)


def test_rules_fire_forward_unless_an_exception_holds() -> None:
    assert ("nell", "may row") in BOOK.established()
    for bar in ("warned", "deferred", "grounded"):
        barred = BOOK.assuming(RuleClaim("holds", "nell", bar))
        assert ("nell", "may row") not in barred.established()
    open_ = BOOK.assuming(RuleClaim("open", "nell", "able"))
    assert ("nell", "may row") not in open_.established()


@pytest.mark.parametrize(
    ("category", "claim"),
    [
        ("reversed_reasoning", RuleClaim("holds", "nell", "warned")),
        ("overreaching_claim", RuleClaim("holds", "nell", "deferred")),
        ("rule_violation", RuleClaim("holds", "nell", "grounded")),
        ("rule_violation", RuleClaim("open", "nell", "able")),
        ("wrong_argument_reading", RuleClaim("said", "the captain", "may row", value=False)),
    ],
)
def test_inference_categories(category: FaithfulnessError, claim: RuleClaim) -> None:
    assert [name for name in FAITHFULNESS_ERRORS["inference"] if BOOK.is_a_case(name, claim)] == [
        category
    ]
    assert BOOK.assuming(claim).supports(claim)


def test_a_converse_that_is_a_rule_is_not_reversed_reasoning() -> None:
    both = RuleBook(
        BOOK.facts,
        BOOK.amounts,
        (*BOOK.rules[:2], Rule(("red band",), "warned", unless=("able",)), *BOOK.rules[2:]),
        BOOK.loose,
        BOOK.said,
    )
    claim = RuleClaim("holds", "nell", "warned")
    assert not both.supports(claim)
    assert not both.is_a_case("reversed_reasoning", claim)
    assert both.is_a_case("rule_violation", claim)


def test_a_loose_statement_that_is_a_rule_too_is_no_overreach() -> None:
    strict = RuleBook(
        BOOK.facts,
        BOOK.amounts,
        (Rule(("early",), "deferred", unless=("tested",)), *BOOK.rules),
        BOOK.loose,
        BOOK.said,
    )
    claim = RuleClaim("holds", "nell", "deferred")
    assert not strict.is_a_case("overreaching_claim", claim)
