"""Publishing on the screen: what was sent or fetched, and how to use it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console

from chainwright.pipeline.screens.terminal import one_line

LISTED = 20
"""Files that are printed by name; `--json` gives all."""


@dataclass(frozen=True)
class Pushed:
    """A release that was sent, or would be.

    Attributes:
        repo: ORG/NAME.
        user: Whose token it was.
        url: The dataset's page.
        public: Whether everyone may see it.
        made: Whether the repository was not there before.
        dry_run: Whether nothing was done.
        commit: The commit that holds the release; None where it is still to be made.
        tag: The version's tag.
        tagged: Whether the tag was given now.
        sent: Files that were new or other.
        removed: Files of a former release that this one has not.
        unchanged: How many files were there already.
        bytes: Size of `sent`.
        remarks: What the Hub remarked on the card's metadata.
        configs: Names of the configs, the default first.
    """

    repo: str
    user: str
    url: str
    public: bool
    made: bool
    dry_run: bool
    commit: str | None
    tag: str
    tagged: bool
    sent: list[str]
    removed: list[str]
    unchanged: int
    bytes: int
    remarks: list[str]
    configs: list[str]

    def as_json(self) -> dict[str, Any]:
        """The outcome as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Pulled:
    """A release that was fetched: from where, where to, and how much of it was downloaded."""

    repo: str
    revision: str
    commit: str
    folder: str
    files: int
    downloaded: int
    bytes: int
    configs: list[str]

    def as_json(self) -> dict[str, Any]:
        """The outcome as plain values."""
        return asdict(self)


def print_pushed(pushed: Pushed, screen: Console) -> None:
    """Prints what was sent, under which tag, and the line that loads it."""
    would = "would be " if pushed.dry_run else ""
    seen = "public" if pushed.public else "private"
    made = f", {would}new" if pushed.made else ""
    screen.print(f"{pushed.url}: {seen}{made}", soft_wrap=True)
    if not pushed.sent and not pushed.removed:
        screen.print(f"nothing to send: all {pushed.unchanged} files are there as they are")
    else:
        screen.print(
            f"{len(pushed.sent)} files ({pushed.bytes:,} bytes) {would}sent, "
            f"{pushed.unchanged} there already, {len(pushed.removed)} {would}removed"
        )
        _listed(pushed.sent, "+", screen)
        _listed(pushed.removed, "-", screen)
    for remark in pushed.remarks:
        screen.print(f"the Hub remarks: {one_line(remark, 300)}", soft_wrap=True)
    if pushed.dry_run:
        return
    screen.print(f"version {pushed.tag}" + ("" if pushed.tagged else ", tagged before"))
    screen.print(f"\n{load_line(pushed.repo, pushed.configs, pushed.tag)}", soft_wrap=True)


def print_pulled(pulled: Pulled, screen: Console) -> None:
    """Prints what was fetched, and what to do with it."""
    if pulled.downloaded:
        screen.print(
            f"{pulled.repo} at {pulled.revision}: {pulled.downloaded} files ({pulled.bytes:,} "
            f"bytes) in {pulled.folder}, each with the hash of its manifest",
            soft_wrap=True,
        )
    else:
        screen.print(
            f"{pulled.repo} at {pulled.revision}: {pulled.folder} has all {pulled.files} files "
            "already",
            soft_wrap=True,
        )
    screen.print(f"\nchainwright validate {pulled.folder}", soft_wrap=True)
    screen.print(load_line(pulled.folder, pulled.configs), soft_wrap=True)


def load_line(place: str, configs: list[str], revision: str | None = None) -> str:
    """The line of Python that loads a release's default config."""
    config = f', "{configs[0]}"' if configs else ""
    at = f', revision="{revision}"' if revision else ""
    return f'datasets.load_dataset("{place}"{config}{at})'


def _listed(paths: list[str], sign: str, screen: Console) -> None:
    for path in paths[:LISTED]:
        screen.print(f"  {sign} {one_line(path)}", soft_wrap=True)
    if len(paths) > LISTED:
        screen.print(f"  {sign} and {len(paths) - LISTED} more; --json lists them")
