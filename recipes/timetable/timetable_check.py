"""Checkers of steps on timetables: is the clock read right, and where does a time come from?"""

import re

from chainwright.annotation.checkers import Opinion, View, abstained, correct, error

CLOCK = re.compile(r"\b\d\d:\d\d\b")
CLAIM = re.compile(r"(\d\d:\d\d) (plus|minus) (\d{1,4}) minutes is (\d\d:\d\d)")
DAY = 24 * 60


def check(view: View) -> list[Opinion]:
    """Both questions below: an error where either finds one."""
    pairs = zip(clock(view), origin(view), strict=True)
    return [by_clock if by_clock.label == "error" else by_origin for by_clock, by_origin in pairs]


def clock(view: View) -> list[Opinion]:
    """Whether minutes are counted right, midnight included."""
    opinions = []
    for step in view.steps:
        claim = CLAIM.search(step)
        if claim is None:
            opinions.append(abstained("no minutes are counted here"))
            continue
        start, sign, minutes, end = claim.groups()
        there = (_minutes(start) + int(minutes) * (1 if sign == "plus" else -1)) % DAY
        right = f"{there // 60:02}:{there % 60:02}"
        said = f"{start} {sign} {minutes} minutes is {right}"
        opinions.append(correct(said) if right == end else error("mathematical_error", said))
    return opinions


def origin(view: View) -> list[Opinion]:
    """Whether each step starts from a time that is known by then, and which step it is from."""
    known = dict.fromkeys(CLOCK.findall(view.question), 0)  # 0 = the question
    opinions = []
    for number, step in enumerate(view.steps, start=1):
        claim = CLAIM.search(step)
        if claim is None:
            opinions.append(abstained("no time is used here"))
            continue
        start, *_, end = claim.groups()
        if start in known:
            opinions.append(correct(f"{start} is known", [known[start]]))
        else:
            opinions.append(error("logical_inconsistency", f"{start} is from nowhere", [0]))
        known[end] = number
    return opinions


def _minutes(time: str) -> int:
    hours, minutes = time.split(":")
    return int(hours) * 60 + int(minutes)
