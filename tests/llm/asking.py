"""A double of the client that answers from a list, for tests of what stands above it."""

from dataclasses import dataclass, field, replace

from chainwright.llm.request import Answer, Request, Usage


@dataclass
class ScriptedAsker:
    """Gives its answers in turn and keeps the requests."""

    answers: list[Answer]
    requests: list[Request] = field(default_factory=list)

    async def ask(self, request: Request) -> Answer:
        self.requests.append(request)
        return replace(self.answers.pop(0), key=f"key {len(self.requests)}")


def says(text: str, finish: str = "stop", output_tokens: int = 0) -> Answer:
    return Answer("", "ok", text, finish, Usage(output_tokens=output_tokens))
