"""A language model of a few thousand random weights, for trainers that want one."""

from __future__ import annotations

from typing import Any

import pytest

CHAT = (
    "{% for one in messages %}{{ one['role'] }}: {{ one['content'] }} {% endfor %}"
    "{% if add_generation_prompt %}assistant: {% endif %}"
)


def tiny_model() -> tuple[Any, Any]:
    """The model and its tokenizer, of characters; the test is skipped without their libraries."""
    pytest.importorskip("torch")
    parts = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    signs = map(chr, range(32, 127))
    words = {word: at for at, word in enumerate(["<pad>", "<eos>", "<unk>", *signs])}
    raw = parts.Tokenizer(parts.models.WordLevel(words, unk_token="<unk>"))  # noqa: S106 - no password
    raw.pre_tokenizer = parts.pre_tokenizers.Split("", "isolated")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw,
        pad_token="<pad>",  # noqa: S106
        eos_token="<eos>",  # noqa: S106
        unk_token="<unk>",  # noqa: S106
        padding_side="left",
        chat_template=CHAT,
    )
    config = transformers.LlamaConfig(
        vocab_size=len(words),
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        pad_token_id=0,
        eos_token_id=1,
    )
    return transformers.LlamaForCausalLM(config), tokenizer
