"""Parts of a report's pages in a real browser: graphs, alignment, formulas, and axe's rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chainwright.pipeline.katex_tarball import katex_tarball
from chainwright.release.site.build import write_site
from tests.release.site_browser import opened
from tests.release.site_rows import FORMULA, chain_id, facts, hostile_block

Data = list[Any]


@pytest.fixture(scope="module")
def functions(browser: Any, site: Path) -> Iterator[Any]:
    """A page whose functions are called."""
    with opened(browser, site) as seen:
        yield seen.page


def test_a_long_edge_goes_around_what_lies_between(functions: Any) -> None:
    plan = functions.evaluate(
        "() => { const plan = chainwright.layers([[0], [1, 0], [2, 0, 7, -1, 0.5]]);"
        "return [plan.layers.length, plan.edges.length, plan.width,"
        "plan.edges.map((edge) => edge.path.length)] }"
    )
    assert plan == [4, 5, 3, [2, 2, 3, 2, 4]]


@pytest.mark.parametrize(
    ("one", "two", "pairs"),
    [
        (["a b", "c d"], ["a b", "x y"], [[0, 0], [1, 1]]),
        (["a b", "c d", "e f"], ["a b", "e f"], [[0, 0], [1, None], [2, 1]]),
        (["a b"], [], [[0, None]]),
        ([], ["a b", "c"], [[None, 0], [None, 1]]),
    ],
)
def test_steps_are_aligned(functions: Any, one: Data, two: Data, pairs: Data) -> None:
    assert functions.evaluate("([a, b]) => chainwright.align(a, b)", [one, two]) == pairs


def test_formulas_are_told_from_prices(functions: Any) -> None:
    kinds: dict[str, Data] = {
        "for $5 and not $6": [],
        "$48/2=24 each, so $24": [],
        "is $x$, $x^2$ or $12$": ["inline"] * 3,
        "\\[a\\] and $$b$$": ["display"] * 2,
        "\\begin{align*}a\\end{align*}": ["display"],
        "5*3 = <<5*3=15>>15": ["mark"],
        "open \\( and $": [],
        'Look. [asy]\nlabel("$x$");\n[/asy] $y$': ["drawing", "inline"],
    }
    for text, expected in kinds.items():
        parts = functions.evaluate("text => chainwright.textParts(text)", text)
        assert [part[0] for part in parts if part[0] != "text"] == expected, text


def test_without_katex_a_formula_is_its_source(browser: Any, site: Path) -> None:
    with opened(browser, site, f"#/chain/{chain_id(0)}") as seen:
        page = seen.page
        page.wait_for_selector("#step-3")
        assert FORMULA in page.locator("#step-3 .step-text").inner_text()
        assert page.locator(".katex").count() == 0


def test_katex_draws_formulas_and_trusts_none(browser: Any, tmp_path: Path) -> None:
    tarball = katex_tarball().tarball
    if tarball is None:
        pytest.skip("KaTeX is neither kept here nor to be had from npm")
    write_site(tmp_path / "site", [hostile_block()], facts(), tarball=tarball)
    with opened(browser, tmp_path / "site", f"#/chain/{chain_id(0)}") as seen:
        page = seen.page
        page.wait_for_selector("#step-3 .katex .mfrac")
        assert "for $5 and not $6." in page.locator("#step-3 .step-text").inner_text()
        page.evaluate("id => chainwright.go('chain', id)", chain_id(2))
        page.wait_for_selector(f"[data-chain={chain_id(2)}] .formula.drawn")
        assert page.locator("#detail a[href^='javascript']").count() == 0
        looped = page.locator("#step-1 .formula:not(.drawn)").first
        assert looped.inner_text() == "$\\def\\x{\\x\\x}\\x_1$"
        widths = page.eval_on_selector_all(
            "#step-1 .formula .katex-rule",
            "all => all.map((one) => one.getBoundingClientRect().width)",
        )
        assert max(widths) < 500


CHAIN, PAIR = f"#/chain/{chain_id(1)}", f"#/compare/{chain_id(1)}"


@pytest.mark.parametrize(
    ("scheme", "addresses", "rules"),
    [
        ("light", ["#/judges", CHAIN], None),
        ("dark", [CHAIN], ["color-contrast"]),
    ],
)
def test_axe_finds_nothing_to_mend(
    browser: Any, site: Path, scheme: str, addresses: list[str], rules: list[str] | None
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe here")
    options = {"preload": False, **({"runOnly": rules} if rules else {})}
    with opened(browser, site, color_scheme=scheme, reduced_motion="reduce") as seen:
        for address in addresses:
            seen.page.evaluate("at => { location.hash = at }", address)
            seen.page.wait_for_timeout(100)
            found = axe.Axe().run(seen.page, options=options).response["violations"]
            told = [(one["id"], [node["target"] for node in one["nodes"]]) for one in found]
            assert told == [], address
