import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainwright.llm.batches.json_lines import json_lines


def read(pieces: list[bytes]) -> list[dict[str, Any]]:
    async def arriving() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    async def collected() -> list[dict[str, Any]]:
        return [one async for one in json_lines(arriving())]

    return asyncio.run(collected())


@given(st.lists(st.dictionaries(st.text(), st.text())), st.integers(1, 20), st.booleans())
def test_wherever_the_stream_is_cut_the_objects_are_the_same(
    objects: list[dict[str, str]], size: int, is_closed: bool
) -> None:
    raw = "\n".join(json.dumps(one, ensure_ascii=False) for one in objects).encode(errors="replace")
    raw += b"\n" if is_closed else b""
    whole = [json.loads(line) for line in raw.split(b"\n") if line]
    assert read([raw[at : at + size] for at in range(0, len(raw), size)]) == whole


def test_separators_within_a_text_end_no_line() -> None:
    text = "a\u2028b\u2029c\x85d"
    assert read([json.dumps({"t": text}, ensure_ascii=False).encode()]) == [{"t": text}]


def test_what_is_no_object_is_passed_over() -> None:
    assert read([b'no\n\n[1]\n{"a": 1}\n']) == [{"a": 1}]


def test_a_stream_that_ends_within_a_line_is_no_whole_one() -> None:
    with pytest.raises(EOFError):
        read([b'{"a": 1}\n{"b": '])
