"""KaTeX: which version draws formulas, how its files are told to be genuine, and what is taken.

KaTeX (MIT) is a package of the npm registry. None of it is copied into this project: its tarball
is brought along by a wheel, or fetched where a report is made, and held against the hash here.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tarfile
from pathlib import Path

VERSION = "0.19.1"
INTEGRITY = (
    "sha512-jG8uKntjSEcm2EpQOh0XturpPuuC9r3Sq5HLHdsFdWZT"
    "27E672SF19QEi+of0/YeOy15lDgRhKvr5614uRrEfA=="
)
"""As the registry states it for this version."""

TARBALL = f"katex-{VERSION}.tgz"
_FONT = re.compile(
    r"url\(fonts/([\w-]+\.woff2)\) format\(['\"]woff2['\"]\)(?:,url\([^)]*\) format\([^)]*\))*"
)


class NotKatex(ValueError):
    """A file is not the tarball of KaTeX that is meant."""


def check(tarball: bytes) -> None:
    """Holds a tarball against the hash.

    Raises:
        NotKatex: it is another file.
    """
    found = base64.b64encode(hashlib.sha512(tarball).digest()).decode()
    if f"sha512-{found}" != INTEGRITY:
        raise NotKatex(
            f"not katex {VERSION} as the npm registry has it: its SHA-512 is {found[:12]}…, "
            f"expected {INTEGRITY[7:19]}…; `npm pack katex@{VERSION}` fetches the right file"
        )


def unpack(tarball: bytes, folder: Path) -> None:
    """Writes script, style sheet and licence into a new folder.

    The fonts go into the style sheet: some browsers refuse a page that is opened from the disk
    fonts in files of their own.

    Raises:
        NotKatex: the tarball is not the one that is meant.
    """
    check(tarball)
    folder.mkdir()
    with tarfile.open(fileobj=io.BytesIO(tarball), mode="r:gz") as archive:
        style = _FONT.sub(
            lambda found: _inline(_file(archive, f"dist/fonts/{found[1]}")),
            _file(archive, "dist/katex.min.css").decode(),
        )
        (folder / "katex.css").write_text(style, encoding="utf-8")
        (folder / "katex.js").write_bytes(_file(archive, "dist/katex.min.js"))
        (folder / "LICENSE.txt").write_bytes(_file(archive, "LICENSE"))


def _file(archive: tarfile.TarFile, name: str) -> bytes:
    found = archive.extractfile(f"package/{name}")
    if found is None:
        raise NotKatex(f"the tarball of katex has no file {name}")
    return found.read()


def _inline(font: bytes) -> str:
    return f"url(data:font/woff2;base64,{base64.b64encode(font).decode()}) format('woff2')"
