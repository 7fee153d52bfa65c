"""From a file of critiques to a taxonomy, its map and its figures, by the command line.

The vectors are stored ones: none of this needs a model (`test_embedding.py` asks real ones).
"""

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.planted_critiques import planted_critiques
from chainwright.pipeline.tables import iter_table, write_table
from chainwright.schemas.critique import Critique
from chainwright.schemas.taxonomy import Taxonomy
from tests.taxonomy.stored_vectors import EMBEDDER, store_vectors
from tests.test_cli import call

for library in ("fast_hdbscan", "hdbscan", "sklearn", "umap"):
    pytest.importorskip(library)

COUNT = 240


def write(path: Path, count: int, seed: int = 0, critic: str = "local:critic") -> Path:
    rows = planted_critiques(count, seed, critic)
    path.write_text("".join(f"{json.dumps(row.row())}\n" for row in rows))
    return path


def run(*arguments: object) -> Any:
    quiet = () if arguments[0] == "apply" else ("--quiet",)
    code, out, err = call("taxonomy", *arguments, *quiet, "--json")
    assert code == 0, err
    return json.loads(out)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A taxonomy of planted critiques, and what its build said."""
    folder = tmp_path_factory.mktemp("built")
    file = write(folder / "first.jsonl", COUNT)
    with file.open("a") as rows:
        rows.write('{"chain_id": "c-1"}\nno JSON\n')
        rows.write(f"{json.dumps(planted_critiques(1)[0].row())}\n")
    store_vectors(folder / "t", planted_critiques(COUNT))
    said = run(
        *("build", file, "--engine", "quick", "--embedder", EMBEDDER, "--categories", 8),
        *("--min-cluster-size", 60, "--out", folder / "t"),
    )
    return folder / "t", said


@pytest.fixture
def copy(built: tuple[Path, Any], tmp_path: Path) -> Path:
    """A copy of the taxonomy to work on."""
    shutil.copytree(built[0], tmp_path / "t")
    return tmp_path / "t"


def test_rows_are_accounted_for(built: tuple[Path, Any]) -> None:
    record = built[1]["build"]
    assert record["rows"] == COUNT + 3
    assert record["rejects"] == 3
    assert record["rows"] == record["critiques"] + record["rejects"]
    placed = sum(each["critiques"] for each in record["clusters"])
    assert placed + record["noise_critiques"] == record["critiques"]
    assert any("instead of" in line for line in record["scaled"])


def test_clusters_hold_mechanisms_and_tracks_are_told_apart(built: tuple[Path, Any]) -> None:
    folder, said = built
    truth = {each.chain_id: each for each in planted_critiques(COUNT)}
    import polars as pl

    rows = pl.read_parquet(folder / "clustered.parquet").to_dicts()
    inside = [row for row in rows if row["cluster"] >= 0]
    right = 0
    for cluster in {row["cluster"] for row in inside}:
        kinds = Counter(truth[r["chain_id"]].mechanism for r in inside if r["cluster"] == cluster)
        right += kinds.most_common(1)[0][1]
    assert right / len(inside) > 0.35  # one in eight by chance
    assert set(said["tracks"]["track"].values()) == {"inference", "grounding"}


def test_a_build_is_the_same_again(built: tuple[Path, Any], tmp_path: Path) -> None:
    folder, said = built
    shutil.copy(folder / "embeddings.sqlite", tmp_path)
    again = run(
        *("build", folder.parent / "first.jsonl", "--engine", "quick", "--embedder", EMBEDDER),
        *("--categories", 8, "--min-cluster-size", 60, "--out", tmp_path),
    )
    assert again["build"] == said["build"] | {"input": again["build"]["input"]}
    assert (tmp_path / "taxonomy.yaml").read_bytes() == (folder / "taxonomy.yaml").read_bytes()


def test_apply_writes_the_table(copy: Path) -> None:
    said = run("apply", copy / "taxonomy.yaml")
    assert sum(said["critiques"].values()) + said["noise"] + said["left_out"] == COUNT
    table = list(iter_table(copy.parent, "taxonomy", Taxonomy))
    assert {each.track for each in table} == {"inference", "grounding"}
    assert [each.model_dump() for each in table] == json.loads((copy / "taxonomy.json").read_text())
    assert call("validate", copy / "taxonomy-00000.parquet")[0] == 0


def test_an_edited_file_is_kept_and_every_fault_is_told_at_its_line(copy: Path) -> None:
    file = copy / "taxonomy.yaml"
    lines = file.read_text().splitlines()
    names = [at for at, line in enumerate(lines) if line.startswith("  - name:")]
    lines[names[1]] = lines[names[0]]
    definition = next(at for at, line in enumerate(lines) if "definition:" in line)
    lines[definition] = '    definitoin: ""'
    track = next(at for at, line in enumerate(lines) if "track:" in line and at > names[2])
    lines[track] = "    track: grouding"
    number = next(at for at, line in enumerate(lines) if line.startswith("      - "))
    lines[number] = "      - 777"
    lines[-1] = "left_out: [1, 1]"
    file.write_text("\n".join(lines))
    code, _, err = call("taxonomy", "apply", file)
    assert code == 2
    assert f"line {definition + 1}, " in err
    assert "did you mean `definition`?" in err
    assert f"line {track + 1}, " in err
    assert "did you mean `grounding`?" in err
    assert f"line {number + 1}, " in err
    assert "found:    777" in err
    assert "a second time" in err
    assert "no place for the cluster" in err
    assert not (copy / "taxonomy.json").exists()
    code, _, err = call("taxonomy", "build", copy.parent / "x.jsonl", "--out", copy)
    assert code == 2
    write(copy.parent / "x.jsonl", 20)
    code, _, err = call("taxonomy", "build", copy.parent / "x.jsonl", "--out", copy, "--quiet")
    assert code == 2
    assert "has been edited" in err


def test_names_have_to_differ(copy: Path) -> None:
    file = copy / "taxonomy.yaml"
    first, second = re.findall(r"- name: (\w+)", file.read_text())[:2]
    file.write_text(file.read_text().replace(f"- name: {second}\n", f"- name: {first}\n"))
    _, _, err = call("taxonomy", "apply", file)
    assert f"the name `{first}` a second time" in err


def test_a_file_of_another_build_is_refused(copy: Path) -> None:
    file = copy / "taxonomy.yaml"
    file.write_text(re.sub(r"build: \w+", "build: feedfeedfeedfeed", file.read_text()))
    code, _, err = call("taxonomy", "apply", file)
    assert code == 2
    assert "feedfeedfeedfeed" in err


def test_another_critic_is_projected(copy: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "second.jsonl", 60, seed=5, critic="local:second")
    store_vectors(copy, planted_critiques(60, 5, "local:second"))
    said = run("project", copy, file)
    assert said["mean_cosine"] > said["shuffled_cosine"] + 0.1
    assert 0 <= said["rejected_share"] < 0.5
    assert sum(each["second"] for each in said["categories"]) == pytest.approx(1)
    assert json.loads((copy / "projection.json").read_text()) == said


def test_a_taxonomy_matches_itself(copy: Path) -> None:
    said = run("compare", copy, copy)
    assert all(match["first"] == match["second"] for match in said["matches"])
    assert said["mean_cosine"] == pytest.approx(1, abs=1e-5)
    assert said["any_pair"] < 0.9


def test_stability_is_written(copy: Path) -> None:
    said = run("stability", copy, "--seeds", 2, "--resamples", 1)
    assert len(said["between_seeds"]) == len(said["samples"]) == 1
    assert said["between_seeds"][0]["ari"] > 0.5
    assert sum(each["share"] for each in said["shares"].values()) == pytest.approx(1)


def leave_outside(folder: Path, texts: int) -> None:
    """Makes so many of a taxonomy's texts its noise, whatever its engine left outside."""
    import polars as pl

    rows = pl.read_parquet(folder / "clustered.parquet")
    outside = rows["description"].unique(maintain_order=True)[:texts].implode()
    cluster = pl.when(pl.col("description").is_in(outside)).then(-1).otherwise(0)
    rows.with_columns(cluster.cast(rows.schema["cluster"]).alias("cluster")).write_parquet(
        folder / "clustered.parquet"
    )


def test_a_cluster_can_be_looked_into(copy: Path) -> None:
    code, out, err = call("taxonomy", "focus", copy, 0, "--min-cluster-size", 4, "-q", "--json")
    assert code == 0, err
    inner = json.loads(out)["build"]
    assert (
        inner["critiques"]
        == json.loads((copy / "build.json").read_text())["clusters"][0]["critiques"]
    )
    code, _, err = call("taxonomy", "focus", copy, 99)
    assert code == 2
    assert "found the cluster 99, expected 0 to " in err


def test_the_noise_can_be_looked_into_or_is_too_small(copy: Path) -> None:
    leave_outside(copy, 5)
    code, _, err = call("taxonomy", "focus", copy, "noise", "-q")
    assert code == 2
    assert "found 5 distinct critiques, expected at least 12" in err
    leave_outside(copy, 40)
    code, out, err = call("taxonomy", "focus", copy, "noise", "-q", "--json")
    assert code == 0, err
    assert json.loads(out)["build"]["critiques"] >= 40


@pytest.mark.parametrize("command", ["map", "stability", "apply"])
def test_a_folder_without_a_taxonomy_says_so(command: str, tmp_path: Path) -> None:
    code, _, err = call("taxonomy", command, tmp_path)
    assert code == 2
    assert "found no" in err


def test_too_few_critiques_say_so(tmp_path: Path, built: tuple[Path, Any]) -> None:
    file = write(tmp_path / "few.jsonl", 5)
    (tmp_path / "t").mkdir()
    shutil.copy(built[0] / "embeddings.sqlite", tmp_path / "t")
    code, _, err = call(
        *("taxonomy", "build", file, "--embedder", EMBEDDER, "--out", tmp_path / "t", "--quiet")
    )
    assert code == 2
    assert "found 5 distinct critiques, expected at least 12" in err


def test_a_run_whose_critics_found_nothing_says_so(tmp_path: Path) -> None:
    write_table(tmp_path / "critiques" / "critiques-00000.parquet", [], Critique)
    code, _, err = call("taxonomy", "build", tmp_path, "--quiet")
    assert code == 2
    assert "found no critique" in err
    assert "its critics called no step unfaithful" in err


def test_screens_print(copy: Path, built: tuple[Path, Any]) -> None:
    for arguments in (("apply", copy), ("compare", copy, copy, "-q")):
        code, out, err = call("taxonomy", *arguments)
        assert code == 0, err
        assert "cosine" in out or "written:" in out
