"""Hub rows: the rows of a dataset on the Hugging Face Hub, streamed."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from chainwright.builders.raw_rows import RawRow
from chainwright.pipeline.errors import first_line
from chainwright.pipeline.reading.source_files import SourceError
from chainwright.release.hub_faults import public_endpoint

EVERY_CONFIG = "*"
_PATIENCE = 10
"""Seconds within which a Hub has to answer at all."""


def hub_rows(
    repository: str, config: str | None, split: str | None, revision: str | None
) -> Iterator[RawRow]:
    """The rows of one split; without a split, of the only one there is.

    A row's place is repository, configuration and split, and its number from 1. The configuration
    `*` stands for all of them, in the order of their names.

    Raises:
        SourceError: where the Hub can't be reached, or has no such dataset, configuration or
            split; at the call, or on the way where the connection is lost.
    """
    folder = Path(repository)
    if not folder.is_absolute() and folder.exists():
        raise SourceError(
            f"hub `{repository}` is also a folder here, which would be read instead; for the "
            "folder give `path`, for the Hub work in another folder"
        )
    _require_hub(repository)
    import datasets  # type: ignore[import-untyped]

    if config == EVERY_CONFIG:
        try:
            names = sorted(datasets.get_dataset_config_names(repository, revision=revision))
        except Exception as error:
            raise _unreadable(repository, error) from error
        return chain.from_iterable([hub_rows(repository, name, split, revision) for name in names])
    try:
        dataset: Any = datasets.load_dataset(
            repository, config, split=split, revision=revision, streaming=True
        )
    except Exception as error:  # the libraries below raise dozens of kinds, their own and others'
        raise _unreadable(repository, error) from error
    if split is None:
        splits = list(dataset)
        if len(splits) != 1:
            raise SourceError(
                f"hub `{repository}` has the splits {', '.join(splits)}: choose one with `split`"
            )
        split = splits[0]
        dataset = dataset[split]
    name = folder.name if folder.is_absolute() else repository
    return _numbered(dataset, repository, "/".join(filter(None, (name, config, split))))


def commit_of(repository: str, revision: str | None) -> str | None:
    """The commit that a revision of a dataset is now; None where the Hub does not say."""
    import httpx2
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    try:
        return HfApi().dataset_info(repository, revision=revision, timeout=_PATIENCE).sha
    except (HfHubHTTPError, OfflineModeIsEnabled, httpx2.HTTPError, OSError, ValueError):
        return None


def _require_hub(repository: str) -> None:
    """Says at once that nothing answers: the client itself tries six times, and tells of each."""
    import httpx2
    from huggingface_hub import constants, get_session
    from huggingface_hub.utils.logging import set_verbosity

    set_verbosity(logging.ERROR)
    if Path(repository).is_absolute() or constants.is_offline_mode():
        return
    try:
        get_session().head(constants.ENDPOINT, timeout=_PATIENCE)
    except (httpx2.TransportError, httpx2.InvalidURL) as error:
        raise SourceError(
            f"hub `{repository}` can't be read: no Hub can be reached at "
            f"{public_endpoint(constants.ENDPOINT)} ({first_line(error)}). Check the network and "
            "HF_ENDPOINT; or download the file and give `path` in place of `hub`"
        ) from error


def _numbered(dataset: Iterable[dict[str, Any]], repository: str, label: str) -> Iterator[RawRow]:
    rows = iter(dataset)
    number = 0
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except Exception as error:
            raise _unreadable(repository, error) from error
        number += 1
        yield RawRow(f"{label}:{number}", row)


def _unreadable(repository: str, error: Exception) -> SourceError:
    reason = (str(error).strip().splitlines() or ["no message"])[0]
    return SourceError(
        f"hub `{repository}` can't be read ({type(error).__name__}: {reason}). Check the name, "
        "`config`, `split` and `revision`, and the network; or download the file and give `path` "
        "in place of `hub`"
    )
