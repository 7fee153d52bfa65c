"""Board: what goes on with the batches of a build, for whoever shows it."""

from dataclasses import dataclass, field

from chainwright.llm.uri import ModelUri


@dataclass
class OnBoard:
    """A batch at its provider.

    Attributes:
        id: The provider's.
        word: The provider's word for how far it is.
    """

    model: str
    id: str
    total: int
    done: int = 0
    word: str = "submitted"


@dataclass
class Board:
    """The batches under way, by intent, and what there is to tell once.

    Attributes:
        gathered: Requests that are not in a batch yet, by model.
    """

    batches: dict[str, OnBoard] = field(default_factory=dict)
    news: list[str] = field(default_factory=list)
    gathered: dict[ModelUri, int] = field(default_factory=dict)

    def tell(self, line: str) -> None:
        """Something to be told once."""
        self.news.append(line)

    def told(self) -> list[str]:
        """What is to be told, and then no more."""
        news, self.news = self.news, []
        return news

    def __str__(self) -> str:
        """`2 batches with 150 of 900 requests done`; empty where there is none."""
        parts = []
        if self.batches:
            done = sum(one.done for one in self.batches.values())
            total = sum(one.total for one in self.batches.values())
            what = "1 batch" if len(self.batches) == 1 else f"{len(self.batches)} batches"
            parts.append(f"{what} at the provider, {done} of {total} requests done there")
        if gathered := sum(self.gathered.values()):
            parts.append(f"{gathered} gathered for the next")
        return "; ".join(parts)
