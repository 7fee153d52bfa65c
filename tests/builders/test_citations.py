"""Citations, in the forms that models write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.builders.citations import citations_of, cited, out_of_range, without_citations


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("It is so [1].", [1]),
        ("It is so [1, 3].", [1, 3]),
        ("It is so [1][2].", [1, 2]),
        ("It is so [2]-[4].", [2, 4]),
        ("It is so [1-3] and [2–4].", [1, 2, 3, 4]),
        ("It is so [1, 3-5; 7].", [1, 3, 4, 5, 7]),
        ("It is so [1 and 2], [[3]], [^4], [ 5 ], [6,].", [1, 2, 3, 4, 5, 6]),
        ("It is so 【3†source】.", [3]),
        ("It is so (ref 2).", [2]),
        ("It is so (reference 2; ref. 4).", [2, 4]),
        ("It is so (see passages 1, 3).", [1, 3]),
        ("Reference 4 says so.", [4]),
        ("As Reference [4] and reference (5) say.", [4, 5]),
        ("References 1, 2 and 5 say so, and passages 7 to 9.", [1, 2, 5, 7, 8, 9]),
        ("Passage 1, 3 men, document #2's claim", [1, 2]),
        ("[Source: 2] [Passage 4; Passage 5] [Ref. 6]", [2, 4, 5, 6]),
        ("Ref2 and paragraph no. 3", [2, 3]),
        ("[3-1]", [1, 3]),
        ("none", []),
        ("Step 3 (2) in 1990: preference 4, reference 2.5, [x], f[i], source 10%", []),
    ],
)
def test_what_is_cited(text: str, references: list[int]) -> None:
    assert cited(text, 9) == references


def test_numbers_beyond_the_references_are_kept_out_and_told() -> None:
    text = "So [0], [2], [7-9999999], reference 12 and [1990]."
    assert cited(text, 8) == [2, 7, 8]
    assert out_of_range(text, 8) == [0, 9, 1990, 12]
    assert out_of_range("so [8]", 8) == []


def test_a_chain_that_cites_nothing_has_no_citations() -> None:
    assert citations_of(["a", "b (2)"], 3) == []
    assert citations_of(["a [3][3]", "b", "[9]"], 3) == [[3], [], []]


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Ida Holm [2][4].", "Ida Holm."),
        ("Ida Holm (ref 3)", "Ida Holm"),
        ("Ida [1] Holm", "Ida Holm"),
        ("[3]", ""),
        ("f(2), 3 men", "f(2), 3 men"),
    ],
)
def test_an_answer_without_its_citations(text: str, bare: str) -> None:
    assert without_citations(text) == bare


PIECES = st.sampled_from(
    ["[", "]", "(", ")", "ref ", "passages ", "1", "23", ",", "-", " and ", " "]
)


@given(st.lists(PIECES, max_size=60).map("".join), st.integers(1, 25))
def test_any_text_is_read(text: str, references: int) -> None:
    found = cited(text, references)
    assert found == sorted(set(found))
    assert all(1 <= number <= references for number in found)
    assert not set(found) & set(out_of_range(text, references))
    assert set(cited(without_citations(text), references)) <= {*range(1, references + 1)}


@pytest.mark.parametrize("piece", ["[", "[1,", "ref ", "(", "1 and ", " ", "[1" + " " * 50])
def test_long_texts_take_no_time_to_speak_of(piece: str) -> None:
    assert cited(piece * (20_000 // len(piece)), 5) in ([], [1])
