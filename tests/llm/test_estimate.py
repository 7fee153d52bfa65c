from hypothesis import given
from hypothesis import strategies as st

from chainwright.llm.estimate import MESSAGE_TOKENS, estimate_text, estimate_tokens
from chainwright.llm.request import Message


def test_words_digits_and_signs_are_counted() -> None:
    assert estimate_text("") == 0
    assert estimate_text("cat dog") == 2
    assert estimate_text(r"\frac{12}{3}") == 9
    assert estimate_text("incomprehensibilities") == 4
    assert estimate_text("四つ") == 2


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(left: str, right: str) -> None:
    assert estimate_text(f"{left} {right}") >= max(estimate_text(left), estimate_text(right))
    assert estimate_text(left) <= len(left)


@given(st.lists(st.text(max_size=20)))
def test_messages_add_up(texts: list[str]) -> None:
    messages = [Message("user", text) for text in texts]
    expected = sum(estimate_text(text) + MESSAGE_TOKENS for text in texts)
    assert estimate_tokens(messages) == expected
