"""Invented rows in the formats of the sources with context."""

from typing import Any

FERRY = ["The Anna is a ferry built in Norrvik.", "She has two masts."]
TOWN = ["Norrvik is a town in Osmark.", "Its mayor is Ida Holm."]
OTHER = ["The Anna is a novel by Per Lund."]


def musique(**more: Any) -> dict[str, Any]:
    """Three hops over four paragraphs, of which two have the same title."""
    texts = [" ".join(OTHER), " ".join(FERRY), "Osmark lies by the sea.", " ".join(TOWN)]
    titles = ["The Anna", "The Anna", "Osmark", "Norrvik"]
    row = {
        "id": "3hop1__11_22_33",
        "paragraphs": [
            {"idx": at, "title": title, "paragraph_text": text, "is_supporting": at > 0}
            for at, (title, text) in enumerate(zip(titles, texts, strict=True))
        ],
        "question": "Who is mayor of the town where the Anna was built?",
        "question_decomposition": [
            {"id": 11, "question": "q", "answer": "a", "paragraph_support_idx": at}
            for at in (1, 3, 2)
        ],
        "answer": "Ida Holm",
        "answer_aliases": ["Mayor Holm", "Ida Holm", "Mayor Holm"],
        "answerable": True,
    }
    return row | more


def two_wiki(**more: Any) -> dict[str, Any]:
    """A comparison over three articles, in the publisher's own form."""
    row = {
        "_id": "0a1b",
        "type": "comparison",
        "question": "Are Norrvik and the Anna both ships?",
        "context": [["The Anna", FERRY], ["Norrvik", TOWN], ["Per Lund", ["Per Lund writes."]]],
        "supporting_facts": [["The Anna", 0], ["Norrvik", 0], ["Norrvik", 9], ["Nowhere", 0]],
        "evidences": [["Anna", "is a", "ferry"], ["Norrvik", "is a", "town"]],
        "answer": "no",
    }
    return row | more


def reclor(**more: Any) -> dict[str, Any]:
    """Four answers, of which the second is right."""
    row = {
        "context": "Every ferry has a bell. The Anna has none.",
        "question": "Which one follows?",
        "answers": ["The Anna sinks.", "The Anna is no ferry.", "Bells ring.", "All is well."],
        "label": 1,
        "id_string": "train_0",
    }
    return row | more


def logiqa2(**more: Any) -> dict[str, Any]:
    """The same as JSON lines have it, with a kind of reasoning that is misspelt."""
    row = {
        "id": 7,
        "answer": 1,
        "text": reclor()["context"],
        "question": "Which one follows?",
        "options": reclor()["answers"],
        "type": {"Necessry Condtional Reasoning": True, "Conjunctive Reasoning": True},
    }
    return row | more


def block(letter: str, *options: str, context: str = "x" * 200, question: str = "So?") -> str:
    """A block of LogiQA's text format, which begins with a blank line."""
    return "\n".join(["", letter, context, question, *options, ""])
