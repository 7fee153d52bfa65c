import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chainwright import __version__
from chainwright.cli import app, main
from chainwright.pipeline.errors import Interrupted

ROOT = Path(__file__).parents[1]
RECIPE = """\
name: tiny
block: 2
sources:
  - kind: generic
    path: rows.jsonl
    columns: {question: question, answer: answer, solution: solution}
annotation:
  judges: [program:arithmetic]
  bootstrap: 10
"""
COMMANDS = ("build", "status", "show", "schema", "validate", "doctor", "taxonomy")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a recipe, and in `runs` what it builds."""
    folder = tmp_path_factory.mktemp("built")
    rows = [
        {
            "question": f"Ann has {n} pears and buys 2. How many has she?",
            "answer": str(n + 2),
            "solution": f"She has {n} + 2 = {n + 2} pears.",
        }
        for n in (3, 4, 5)
    ]
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "recipe.yaml").write_text(RECIPE)
    assert call("build", folder / "recipe.yaml", "--runs", folder / "runs", "--quiet")[0] == 0
    return folder


def call(*arguments: object) -> tuple[int, str, str]:
    """Exit code, output and errors of a command, as the console entry gives them."""
    import contextlib
    import io

    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["chainwright", *map(str, arguments)])
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
            except SystemExit as end:
                code = end.code or 0
    assert isinstance(code, int)
    return code, out.getvalue(), err.getvalue()


def run_process(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "chainwright", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_an_example_and_the_exit_codes(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert f"Example: chainwright {command}" in result.output
    text = " ".join(result.output.split())
    for code in ("0 done", "1 validation", "2 a mistake", "3 the run stopped", "130 interrupted"):
        assert code in text


def test_help_lists_the_commands_on_one_line_each() -> None:
    result = CliRunner().invoke(app, ["--help"])
    assert result.exit_code == 0
    assert all(f"\n  {command} " in result.output for command in COMMANDS)
    assert "..." not in result.output.partition("Commands:")[2]


def test_help_and_version_load_nothing_heavy() -> None:
    """Importing the package and asking for help must stay as quick as Python itself."""
    heavy = "polars pyarrow pydantic datasets numpy torch rich yaml jinja2 filelock".split()
    program = (
        "import sys; from chainwright.cli import app\n"
        "try: app(['--help'])\n"
        "except SystemExit: pass\n"
        f"print('loaded', sorted(set({heavy}) & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines()[-1] == "loaded []"


def test_version() -> None:
    assert call("--version") == (0, f"chainwright {__version__}\n", "")


def test_the_module_is_the_command(built: Path) -> None:
    result = run_process("status", "tiny", "--runs", built / "runs")
    assert result.returncode == 0
    assert result.stdout.startswith("run tiny: last build done")
    assert result.stderr == ""


def test_build_shows_progress_on_errors_and_json_alone_on_output(built: Path) -> None:
    code, out, err = call("build", built / "recipe.yaml", "--runs", built / "runs", "--json")
    assert code == 0
    document = json.loads(out)
    assert document["run"] == "tiny"
    assert all(each["balanced"] for each in document["accounts"])
    assert "\nvotes: " in err
    assert call("build", built / "recipe.yaml", "--runs", built / "runs", "-q")[2] == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("build", "{recipe}", "--runs", "{runs}", "--dry-run"),
        ("status", "tiny", "--runs", "{runs}"),
        ("show", "tiny", "--runs", "{runs}"),
        ("show", "{runs}/tiny", "{chain}"),
        ("validate", "{runs}/tiny"),
        ("doctor",),
    ],
    ids=" ".join,
)
def test_every_command_speaks_json(built: Path, arguments: tuple[str, ...]) -> None:
    places = {
        "recipe": str(built / "recipe.yaml"),
        "runs": str(built / "runs"),
        "chain": first_chain(built),
    }
    filled = [argument.format(**places) for argument in arguments]
    code, out, err = call(*filled, "--json")
    assert (code, err) == (0, "")
    assert isinstance(json.loads(out), dict)
    code, drawn, err = call(*filled)
    assert (code, err) == (0, "")
    assert drawn.strip()
    assert drawn != out


def first_chain(built: Path) -> str:
    document = json.loads(call("show", "tiny", "--runs", built / "runs", "--json")[1])
    chain_id: str = document["chains"][0]["chain_id"]
    return chain_id


def test_show_lists_and_draws(built: Path) -> None:
    code, out, _ = call("show", "tiny", "--runs", built / "runs", "--polarity", "positive")
    assert (code, "3 of 3 positive chains" in out) == (0, True)
    code, out, _ = call("show", "tiny", first_chain(built)[:9], "--runs", built / "runs")
    assert code == 0
    assert "pears." in out
    assert call("show", "tiny", "--polarity", "sideways", "--runs", built / "runs")[0] == 2


def test_schemas_are_listed_and_printed() -> None:
    code, names, _ = call("schema", "--list")
    assert code == 0
    for line in names.splitlines():
        code, out, _ = call("schema", line.split()[0])
        assert code == 0
        assert json.loads(out)["title"] == line.split()[0]
    code, _, err = call("schema", "chain")
    assert code == 2
    assert "no schema 'chain'; there are: chains" in err


def test_validation_exits_with_1_where_a_row_breaks_its_schema(tmp_path: Path) -> None:
    path = tmp_path / "taxonomy.jsonl"
    path.write_text('{"track": "maths", "categories": []}\n')
    code, out, _ = call("validate", path)
    assert code == 1
    assert "taxonomy.jsonl, row 1, track" in out
    code, out, _ = call("validate", path, "--json")
    assert code == 1
    assert json.loads(out)["ok"] is False
    assert call("validate", path, "--schema", "none")[0] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("build", "nowhere.yaml"), "nowhere.yaml"),
        (("build", "{folder}/broken.yaml"), "broken.yaml"),
        (("build", "{folder}/lost.yaml", "--runs", "{folder}"), "gone.jsonl"),
        (("build", "{folder}/lost.yaml", "--runs", "{folder}", "--dry-run"), "gone.jsonl"),
        (("status", "nothing", "--runs", "{folder}"), "no run 'nothing'"),
        (("show", "nothing", "--runs", "{folder}"), "no run 'nothing'"),
        (("schema", "nothing"), "no schema 'nothing'"),
        (("build",), "recipe"),
        (("nothing",), "nothing"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_a_mistake_ends_with_2_and_a_message(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "broken.yaml").write_text("name: broken\nsauces: []\n")
    (tmp_path / "lost.yaml").write_text(RECIPE.replace("rows.jsonl", "gone.jsonl"))
    code, out, err = call(*(argument.format(folder=tmp_path) for argument in arguments))
    assert (code, out) == (2, "")
    assert said.lower() in err.lower()
    assert "Traceback" not in err


def test_messages_cannot_steer_the_terminal() -> None:
    code, _, err = call("status", "\x1b[31mred")
    assert code == 2
    assert "\x1b" not in err


def test_an_interrupted_build_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped_by_the_user(*arguments: object, **options: object) -> None:
        raise Interrupted("votes", 3, 7)

    monkeypatch.setattr("chainwright.pipeline.build.build", stopped_by_the_user)
    code, out, err = call("build", "recipe.yaml")
    assert (code, out) == (130, "")
    assert "interrupted in stage votes: 3 of 7 blocks" in err


def test_what_nobody_foresaw_ends_with_3_and_hides_its_traceback(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def breaks_down(*arguments: object, **options: object) -> None:
        raise RuntimeError("what now")

    monkeypatch.setattr("chainwright.pipeline.screens.status.run_status", breaks_down)
    code, out, err = call("status", "tiny")
    assert (code, out) == (3, "")
    assert err == "chainwright: RuntimeError: what now (CHAINWRIGHT_DEBUG=1 shows the traceback)\n"
    monkeypatch.setenv("CHAINWRIGHT_DEBUG", "1")
    with pytest.raises(RuntimeError, match="what now"):
        call("status", "tiny")
