"""Made problems: the same everywhere, told as they are, with one answer that is derived twice."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

from chainwright.builders.worlds.draws import Draw
from chainwright.builders.worlds.exact_context import made_problem, worked_text
from chainwright.builders.worlds.facts import FactTable, Query
from chainwright.builders.worlds.grounding_steps import answer_text
from chainwright.builders.worlds.inference import BARRED, Setting
from chainwright.builders.worlds.made import TRACKS, WorldKey, find_key, parse_key
from chainwright.builders.worlds.plan import premises_of, run
from chainwright.builders.worlds.rules import RuleBook
from chainwright.builders.worlds.wording import shown
from chainwright.builders.worlds.words.domains import GROUNDING_DOMAINS, INFERENCE_DOMAINS
from chainwright.builders.worlds.words.grounding import Flag, Relation
from tests.builders.worlds.made_problems import keys, made


def answer_by_hand(table: FactTable, query: Query) -> str:
    """The answer to a grounding question, by comprehensions over the facts alone."""
    now: dict[tuple[Any, str], Any] = {**table.facts, **table.changes}
    names, end = query.candidates, {"least": min, "most": max}[query.way]
    persons = [now.get((name, query.person)) for name in names]
    match query.pattern:
        case "filter_best":
            kept = [name for name in names if now.get((name, query.flag))]
            return str(end(kept, key=lambda name: now[name, query.number]))
        case "hop_flag":
            return "yes" if now[now[persons[0], query.place], query.flag] else "no"
        case "hop_compare":
            return str(end(persons, key=lambda name: now[name, query.number]))
        case "best_hop":
            first = end(names, key=lambda name: now[name, query.number])
            return str(now[now[first, query.person], query.place])
        case "count":
            return str(len([name for name in persons if now.get((name, query.flag))]))
        case "gap":
            one, two = (now[name, query.number] for name in persons)
            return str(max(one, two) - min(one, two))


def verdict_by_hand(book: RuleBook, setting: Setting) -> str:
    """The answer to an inference question, by iterating the rules until nothing is added."""
    known: set[tuple[str, str]] = set(book.facts)
    about = setting.about
    for _ in range(len(book.rules) + 1):
        for rule in book.rules:
            if rule.gives in (BARRED, setting.permit.yes):
                continue
            reached = rule.limit is None or book.amounts[about, rule.limit[0]] >= rule.limit[1]
            if reached and all((about, need) in known for need in rule.needs):
                known.add((about, rule.gives))
    road = any((about, end.yes) in known for end in setting.ends)
    barred = road if setting.flaw is None else (about, setting.flaw.yes) in known and not road
    holds = {(about, setting.standing.yes), (about, setting.dues.yes)} <= known and not barred
    if len(setting.asked) == 2:
        return "AB"[[book.said[one] for one in setting.asked].index(holds)]
    return "yes" if book.said[setting.asked[0]] == holds else "no"


@given(keys())
@settings(max_examples=60)
def test_a_key_yields_the_same_problem_again(key: WorldKey) -> None:
    one, two = made_problem(key), made_problem(key)
    assert (one.question, one.passages, one.options) == (two.question, two.passages, two.options)
    assert worked_text(one) == worked_text(two)
    assert find_key(worked_text(one)) == key


def test_a_problem_is_the_same_on_every_machine() -> None:
    """What Python or the platform could change would show here."""
    assert [Draw("a", 1).below(1000), Draw("a", 2).below(1000)] == [DRAWN_1, DRAWN_2]
    assert made("inference", 0).answer == "no"
    assert made("grounding", 0).question.startswith("Find the room in which the keeper of the silv")


DRAWN_1, DRAWN_2 = 613, 961


@given(keys("grounding"))
@settings(max_examples=80)
def test_grounding_answers_are_derived_again_from_the_facts(key: WorldKey) -> None:
    one = made_problem(key)
    assert isinstance(one.world, FactTable)
    assert answer_by_hand(one.world, one.asked) == one.answer
    assert answer_text(run(one.steps)[-1].value) == one.answer


@given(keys("inference"))
@settings(max_examples=80)
def test_inference_answers_are_derived_again_from_the_rules(key: WorldKey) -> None:
    one = made_problem(key)
    assert isinstance(one.world, RuleBook)
    assert verdict_by_hand(one.world, one.asked) == one.answer
    assert run(one.steps)[-1].value == one.answer


@given(keys())
@settings(max_examples=60)
def test_right_steps_are_borne_out_and_rest_on_earlier_ones(key: WorldKey) -> None:
    one = made_problem(key)
    said, premises = run(one.steps), premises_of(one.steps)
    assert all(one.world.supports(claim) for step in said for claim in step.claims)
    refs = {passage.ref for passage in one.passages}
    assert 3 <= len(refs) <= 7
    for number, (step, its) in enumerate(zip(said, premises, strict=True), start=1):
        assert set(step.citations) <= refs
        assert its
        assert all(0 <= premise < number for premise in its)
        assert not step.citations or 0 in its
        assert step.text[0].isupper() or step.text[0] in "[0123456789"
        assert step.text.endswith(".")
    assert {0, *range(1, len(said))} >= {one for its in premises for one in its}


@given(keys("grounding"))
@settings(max_examples=40)
def test_each_fact_stands_in_the_passage_that_is_cited_for_it(key: WorldKey) -> None:
    one = made_problem(key)
    domain = next(domain for domain in GROUNDING_DOMAINS if domain.name == one.domain)
    every: list[Relation] = [domain.person, domain.place, *domain.item_numbers, *domain.item_flags]
    every += [domain.person_number, domain.person_flag, *domain.place_flags, domain.place_number]
    relations = {relation.name: relation for relation in every}
    at = next(step.frame.at for step in one.steps if hasattr(step, "frame"))
    assert isinstance(one.world, FactTable)
    assert set(at) == set(one.world.facts)
    for (entity, name), value in one.world.facts.items():
        relation = relations[name]
        text = one.passages[at[entity, name] - 1].text
        told = shown(relation, value)
        if isinstance(relation, Flag):
            told = relation.yes if value else relation.no
        assert told in text
        assert entity[1:] in text
    assert bool(one.world.changes) == (one.passages[-1].title == domain.notes)


@given(keys("inference"))
@settings(max_examples=40)
def test_rules_facts_and_claims_stand_in_the_passages(key: WorldKey) -> None:
    one = made_problem(key)
    setting = one.asked
    assert isinstance(setting, Setting)
    first, second = one.passages[0].text, one.passages[1].text
    for phrase in (setting.standing, setting.dues, *setting.ends):
        assert phrase.yes in first
    assert setting.permit.no in first
    assert f"{setting.test.yes} {setting.standing.yes}" in second
    assert setting.about in one.question
    assert all(speaker in one.question.lower() for speaker in setting.asked)
    assert one.passages[-1].text.lower().count(setting.about.lower()) == len(setting.said)


def test_words_read_as_words() -> None:
    """No phrase has a blank too many, a stop at its end or a capital at its start."""
    for domain in INFERENCE_DOMAINS:
        phrases = [*domain.tests, *domain.standings, *domain.dues, *domain.permits, *domain.flaws]
        phrases += [phrase for road in domain.bar_signs for phrase in (road.cause, road.sign)]
        phrases += [limit.result for limit in (*domain.bar_limits, *domain.free_limits)]
        for text in (text for one in phrases for text in (one.yes, one.no, one.many)):
            assert text == " ".join(text.split())
            assert text[0].islower()
            assert not text.endswith(".")
    for names in (one.items for one in GROUNDING_DOMAINS):
        assert len(set(names)) == len(names) >= 10


def test_problems_of_one_seed_differ() -> None:
    for track in TRACKS:
        questions = [(made(track, n).question, made(track, n).passages) for n in range(60)]
        assert all(one != two for one, two in pairwise(sorted(questions, key=str)))


@pytest.mark.parametrize("text", ["", "1/grounding/7", "1/math/7/1", "1/grounding/-1/2", "x"])
def test_what_is_no_key_is_none(text: str) -> None:
    assert parse_key(text) is None


def test_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="this version is 1"):
        made_problem(WorldKey("grounding", 1, 1, version=2))


def test_a_draw_says_when_it_runs_out() -> None:
    with pytest.raises(ValueError, match="3 of 2 options"):
        Draw("x").some("ab", 3)
    assert sorted(Draw("x").shuffled("abc")) == ["a", "b", "c"]
