"""Personal data: what has the form of an address or number of a person, in released text.

Patterns find forms, not people: a name, a street or a story that tells who somebody is has no form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}\b")
_PHONE = re.compile(
    r"(?<![\w.+*/=-])(?:"
    r"\+\d{1,3}(?:[ .-]?\(?\d{2,4}\)?){2,5}"
    r"|\(\d{3}\) ?\d{3}-\d{4}"
    r"|(?:1-)?\d{3}-\d{3}-\d{4}"
    r"|\d{3}\.\d{3}\.\d{4}"
    r")(?![\w=*/+-])"
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_CARD = re.compile(
    r"(?<![\w.-])(?:\d{12,19}|\d{4}(?P<four>[ -])\d{4}(?P=four)\d{4}(?P=four)\d{1,7}"
    r"|\d{4}(?P<six>[ -])\d{6}(?P=six)\d{4,5})(?![\w-])"
)
"""Unbroken, or in the groups that cards print: numbers in a row are mostly arithmetic."""
_USER_URL = re.compile(
    r"\b(?:https?|ftp)://(?:[^\s/@:]+(?::[^\s/@]*)?@\S+"
    r"|\S*/(?:~|users?/|profile/|people/|@)[\w.-]+|\S*[?&](?:e?mail|user(?:name)?)=[^\s&]+)",
    re.IGNORECASE,
)


def _phones(text: str) -> int:
    found = _PHONE.findall(text) if re.search(r"\d{3}", text) else []
    return sum(8 <= sum(map(str.isdigit, one)) <= 15 for one in found)


def _ibans(text: str) -> int:
    return sum(_is_iban(one) for one in _IBAN.findall(text))


def _cards(text: str) -> int:
    return sum(_is_card(one[0]) for one in _CARD.finditer(text))


def _mails(text: str) -> int:
    return len(_MAIL.findall(text)) if "@" in text else 0


def _user_urls(text: str) -> int:
    return len(_USER_URL.findall(text)) if "://" in text else 0


PERSONAL: Mapping[str, Callable[[str], int]] = {
    "e-mail addresses": _mails,
    "telephone numbers": _phones,
    "bank accounts (IBAN with its check digits)": _ibans,
    "payment cards (12 to 19 digits that pass Luhn's check)": _cards,
    "web addresses with a user in them": _user_urls,
}
"""What is looked for, and how often a text holds it."""


def personal_data(texts: Iterable[str | None]) -> dict[str, int]:
    """How often each kind of `PERSONAL` is in some texts; kinds that are not are left out.

    >>> personal_data(["Write to ada@example.org or ring (555) 123-4567.", None])
    {'e-mail addresses': 1, 'telephone numbers': 1}
    >>> personal_data(["4111 1111 1111 1111", "4111 1111 1111 1112"])
    {"payment cards (12 to 19 digits that pass Luhn's check)": 1}
    """
    found: dict[str, int] = {}
    for text in texts:
        if text:
            for kind, count_in in PERSONAL.items():
                if count := count_in(text):
                    found[kind] = found.get(kind, 0) + count
    return found


def _is_iban(text: str) -> bool:
    """Whether the check digits are right (ISO 13616): the number modulo 97 is 1."""
    plain = text.replace(" ", "")
    if not 15 <= len(plain) <= 34:
        return False
    digits = "".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])
    return int(digits) % 97 == 1


def _is_card(text: str) -> bool:
    """Whether the digits pass Luhn's check (ISO/IEC 7812) and are not all one digit."""
    digits = [int(letter) for letter in text if letter.isdigit()]
    if not 12 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
