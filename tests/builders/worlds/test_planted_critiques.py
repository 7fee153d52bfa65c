"""Critiques of planted steps: one a wording, none that names its category."""

from chainwright.builders.worlds.critiques import _TAGS, _WORDINGS, planted_critiques
from chainwright.builders.worlds.exact_context import context_negatives, context_reference
from chainwright.schemas.chain import Chain
from chainwright.schemas.words import FAITHFULNESS_ERRORS
from tests.builders.worlds.made_problems import as_problem, made

CATEGORIES = {name for names in FAITHFULNESS_ERRORS.values() for name in names}


def planted() -> list[Chain]:
    problems = [as_problem(made("grounding", number)) for number in range(8)]
    problems += [as_problem(made("inference", number)) for number in range(8)]
    return [exact.chain for problem in problems for exact in context_negatives(problem, count=2)]


def test_every_planted_step_has_critiques_in_different_words() -> None:
    chains = planted()
    found = list(planted_critiques(chains, each=3))
    assert len(found) == 3 * len(chains)
    keys = {(one.chain_id, one.step, one.critic) for one in found}
    assert len(keys) == len(found)
    assert {(one.chain_id, one.step) for one in found} == {
        (chain.chain_id, chain.perturbed_step) for chain in chains
    }
    assert len({(one.chain_id, one.description) for one in found}) == len(found)
    for one in found:
        assert one.description[0].isupper() or one.description[0] == "["
        assert one.description.endswith((".", "?"))
        assert not any(category in one.description for category in CATEGORIES)


def test_critiques_follow_from_their_seed() -> None:
    chains = planted()[:6]
    assert list(planted_critiques(chains)) == list(planted_critiques(chains))
    other = list(planted_critiques(chains, seed=1))
    assert [one.description for one in planted_critiques(chains)] != [o.description for o in other]


def test_chains_without_a_planted_step_are_passed_over() -> None:
    right = context_reference(as_problem(made("grounding", 0))).chain
    assert list(planted_critiques([right])) == []


def test_every_category_has_wordings_and_tags() -> None:
    assert set(_WORDINGS) == set(_TAGS) == CATEGORIES
    assert all(len(wordings) >= 5 for wordings in _WORDINGS.values())
    assert all(len(tags) >= 3 for tags in _TAGS.values())
