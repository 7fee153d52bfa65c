"""What a question asks for, as far as that decides how an answer is read."""

import re

_PERCENT_ASKED = re.compile(
    r"\b(?:what|which|how many)(?:\s+(?:is|was|are|were|will be)(?:\s+the)?)?"
    r"(?:\s+[a-z]+){0,2}?\s+(?:percent(?:age)?\b|%)"
    r"|\b(?:find|calculate|determine|compute|express|give|state|write)\b(?:\s+[a-z]+){0,6}?"
    r"\s+percent(?:age)?\b"
    r"|\b(?:as|in)\s+(?:an?\s+)?(?:percent(?:age)?s?\b|%)|\bby\s+(?:what|how many)\s+percent"
    r"|\bpercent(?:age)?\s+of\s+(?:the|all|his|her|their|its)?[^.?!]{0,80}\?\s*$",
    re.IGNORECASE,
)
_PERCENT_HINT = re.compile(
    r"%|\\%|percent|probab|chance|likel|\brate\b|proportion|portion|fraction|\bshare\b|odds",
    re.IGNORECASE,
)
_ROUNDING = re.compile(
    r"\b(?:round(?:ed|ing)?|nearest|approximat\w*|estimat\w*|decimal places?|decimals?|"
    r"significant|closest|about how)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:respectively|ascending|descending|increasing|decreasing|alphabetical|"
    r"in (?:\w+ )?order\b(?! (?:to|that|for))|order from|sort|rank|arrange|"
    r"from (?:the )?(?:least|smallest|lowest|greatest|largest|highest|shortest|longest|tallest|"
    r"lightest|heaviest|youngest|oldest))",
    re.IGNORECASE,
)
_INTERVAL = re.compile(r"\b(?:interval|domain|range|inequalit\w*)\b", re.IGNORECASE)
MAX_QUESTION = 10_000
"""Longer questions are read up to here."""


def asks_for_percent(question: str) -> bool | None:
    """Whether the answer is to be a percentage; None where the question doesn't tell.

    A question that speaks of percents, chances or shares without asking for a percentage doesn't
    tell, and neither does an empty one.
    """
    question = question[-MAX_QUESTION:]
    if _PERCENT_ASKED.search(question):
        return True
    return None if not question.strip() or _PERCENT_HINT.search(question) else False


def asks_for_rounding(question: str) -> bool:
    """Whether the answer may be a rounded one."""
    return _ROUNDING.search(question[-MAX_QUESTION:]) is not None


def asks_for_order(question: str) -> bool:
    """Whether the order of several answers matters."""
    return _ORDER.search(question[-MAX_QUESTION:]) is not None


def asks_for_interval(question: str) -> bool:
    """Whether brackets in the answer tell open from closed."""
    return _INTERVAL.search(question[-MAX_QUESTION:]) is not None


def names(question: str, text: str) -> bool:
    """Whether the question holds the text as whole words, whatever their case."""
    pattern = rf"(?<!\w){re.escape(text.strip())}(?!\w)"
    return bool(text.strip()) and re.search(pattern, question, re.IGNORECASE) is not None
