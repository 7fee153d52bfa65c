"""The pages of a report in a real browser, opened from the disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chainwright.pipeline.katex_tarball import katex_tarball
from chainwright.release.site.build import write_site
from tests.release.conftest import make_chain, make_labels, make_negative, make_problem
from tests.release.site_browser import chromium, opened
from tests.release.site_rows import FORMULA, HOSTILE, facts, hostile_block

Data = list[Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of a small run with a hostile chain, without KaTeX."""
    folder = tmp_path_factory.mktemp("pages") / "site"
    write_site(folder, [hostile_block()], facts(notes=[HOSTILE]))
    return folder


@pytest.fixture(scope="module")
def functions(browser: Any, site: Path) -> Iterator[Any]:
    """A page whose functions are called."""
    with opened(browser, site) as seen:
        yield seen.page


def chain_id(place: int) -> str:
    found = hostile_block()["chains"][place].chain_id
    assert isinstance(found, str)
    return found


def test_the_overview_tells_of_the_run_and_runs_nothing_of_it(browser: Any, site: Path) -> None:
    with opened(browser, site) as seen:
        page = seen.page
        assert page.locator("h1#title").text_content() == HOSTILE
        assert page.title().startswith("<script>document.title='taken'</script>")
        assert "2 problems, 3 chains of 8 steps" in page.locator(".lede").first.inner_text()
        assert page.locator(".note li").inner_text().startswith("<script>")
        assert page.locator(".funnel tbody tr").count() == 1
        assert page.locator("#page-overview .grid").count() == 2
        assert page.locator("main img, main script, main [onerror], main iframe").count() == 0


def test_every_page_of_a_hostile_chain_shows_text_and_runs_nothing(
    browser: Any, site: Path
) -> None:
    with opened(browser, site, f"#/chain/{chain_id(2)}") as seen:
        page = seen.page
        page.wait_for_selector(".step")
        page.evaluate("chainwright.toggleVotes()")
        assert "<img src=x onerror=" in page.locator(".question").inner_text()
        assert "<script>document.title='taken'</script>" in page.locator("#step-1").inner_text()
        assert page.locator("#step-1 .step-text .unseen").all_inner_texts() == ["U+202E", "U+2028"]
        assert page.locator("#detail img, #detail script, #detail iframe").count() == 0
        links = page.eval_on_selector_all("a", "all => all.map((one) => one.getAttribute('href'))")
        assert [link for link in links if not link.startswith("#")] == []
        assert page.title() != "taken"


def test_search_reaches_questions_steps_and_ids(browser: Any, site: Path) -> None:
    with opened(browser, site, "#/chains") as seen:
        page = seen.page
        assert page.locator("#found").inner_text() == "3 chains"
        for query, count in (
            ("CRATE", 2),
            ("pears good.", 2),
            ('"25-2=23 are"', 1),
            (chain_id(0)[:9], 1),
            ("crate unheard", 0),
            ("", 3),
        ):
            page.fill("#search", query)
            told = "3 chains" if count == 3 else f"{count} of 3 chains"
            page.wait_for_function(
                "told => document.querySelector('#found').textContent === told", arg=told
            )
            assert page.locator("#list .row").count() == count


def test_words_of_the_query_are_marked_in_the_chain(browser: Any, site: Path) -> None:
    with opened(browser, site, "#/chains") as seen:
        page = seen.page
        page.fill("#search", "PEARS 24")
        page.wait_for_function("() => document.querySelectorAll('#list .row').length === 1")
        page.keyboard.press("Enter")
        page.wait_for_selector(".sheet")
        marked = "() => [...CSS.highlights.get('found')].map((range) => String(range))"
        assert {*page.evaluate(marked)} == {"pears", "24"}


def test_filters_narrow_the_list_and_can_be_taken_away(browser: Any, site: Path) -> None:
    with opened(browser, site, "#/chains") as seen:
        page = seen.page
        page.locator("#filters summary").click()
        page.select_option("select[data-facet=polarity]", label="synthetic negative (1)")
        assert page.locator("#found").inner_text() == "1 of 3 chains"
        page.locator(".chip").click()
        assert page.locator("#found").inner_text() == "3 chains"


def test_a_cell_of_a_heat_map_leads_to_its_chains(browser: Any, site: Path) -> None:
    with opened(browser, site) as seen:
        page = seen.page
        page.locator(".grid td button[title^='mathematical error in own']").click()
        page.wait_for_selector("#list .row")
        assert page.locator("#found").inner_text() == "1 of 3 chains"
        assert page.locator(".chip").count() == 2


def test_all_can_be_read_by_keys(browser: Any, site: Path) -> None:
    with opened(browser, site) as seen:
        page, press = seen.page, seen.page.keyboard.press
        press("2")
        press("j")
        page.wait_for_selector(f"[data-chain={chain_id(0)}]")
        press("j")
        page.wait_for_selector(f"[data-chain={chain_id(1)}]")
        press("c")
        page.wait_for_selector(".pairs")
        press("c")
        page.wait_for_selector(".steps")
        press("v")
        assert page.locator(".votes[open]").count() == 2
        press("k")
        page.wait_for_selector(f"[data-chain={chain_id(0)}]")
        press("/")
        assert page.evaluate("document.activeElement.id") == "search"
        page.keyboard.type("jk?")
        assert page.locator("#found").inner_text().startswith(("0 of", "3"))
        press("Escape")
        assert page.evaluate("document.activeElement.id") == "list"
        press("?")
        assert page.locator("#help[open]").count() == 1
        press("Escape")
        press("3")
        page.wait_for_selector("#judges-title")


def test_judges_are_told_with_matrices_and_confusions(browser: Any, site: Path) -> None:
    with opened(browser, site, "#/judges") as seen:
        page = seen.page
        assert page.locator("#page-judges .grid-figure").count() == 4  # and of the panel
        assert page.locator("#page-judges .void").count() == 2  # nobody is paired with himself
        assert page.locator(".intervals tbody tr").count() == 5
        assert "no votes" in page.locator(".intervals").first.inner_text()
        assert HOSTILE[:30] in page.locator("#page-judges figcaption").nth(2).inner_text()


def test_the_premise_graph_is_drawn_in_layers_with_what_was_inherited(
    browser: Any, site: Path
) -> None:
    with opened(browser, site, f"#/chain/{chain_id(1)}") as seen:
        page = seen.page
        page.wait_for_selector(".graph")
        assert page.locator(".graph .dot").count() == 4
        assert page.locator(".graph .edge").count() == 3
        assert page.locator(".graph .edge.passes").count() == 2
        assert page.locator(".dot.tone-native").get_attribute("data-step") == "1"
        tops = page.eval_on_selector_all(
            ".graph .dot", "all => all.map((one) => one.getBoundingClientRect().top)"
        )
        assert tops == sorted(set(tops))
        page.locator(".dot[data-step='2']").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#step-2.pointed")


def test_a_long_edge_goes_around_what_lies_between(functions: Any) -> None:
    plan = functions.evaluate(
        "() => { const plan = chainwright.layers([[0], [1, 0], [2, 0, 7, -1, 0.5]]);"
        "return [plan.layers.length, plan.edges.length, plan.width,"
        "plan.edges.map((edge) => edge.path.length)] }"
    )
    assert plan == [4, 5, 3, [2, 2, 3, 2, 4]]


def test_a_negative_stands_beside_its_positive_with_the_changes_marked(
    browser: Any, site: Path
) -> None:
    with opened(browser, site, f"#/compare/{chain_id(1)}") as seen:
        page = seen.page
        page.wait_for_selector(".pairs")
        row = page.locator(".pairs tbody tr").first
        assert row.locator("del").all_inner_texts() == ["24"]
        assert row.locator("ins").all_inner_texts() == ["25"]
        assert "Broken at step 1" in page.locator(".broken").inner_text()


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
    tarball = katex_tarball()
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


def test_a_narrow_window_shows_the_list_and_then_the_chain(browser: Any, site: Path) -> None:
    with opened(browser, site, "#/chains", viewport={"width": 390, "height": 800}) as seen:
        page = seen.page
        assert page.locator("#detail").is_hidden()
        page.locator("#list .row").first.click()
        page.wait_for_selector(".sheet")
        assert page.locator("#list").is_hidden()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator(".back").click()
        page.wait_for_selector("#list .row")


def test_only_rows_in_view_exist_and_the_last_can_be_reached(browser: Any, tmp_path: Path) -> None:
    rows: dict[str, Any] = hostile_block()
    rows = {table: [] for table in rows}
    for number in range(400):
        problem = make_problem(number)
        chain = make_chain(problem)
        rows["problems"].append(problem)
        rows["chains"] += [chain, make_negative(problem, chain)]
        rows["labels"] += make_labels(chain, "correct", "correct", "correct")
    write_site(tmp_path / "site", [rows], facts())
    with opened(browser, tmp_path / "site", "#/chains") as seen:
        page = seen.page
        assert page.locator("#found").inner_text() == "800 chains"
        assert page.locator("#list .row").count() < 40
        page.locator("#list").focus()
        page.keyboard.press("End")
        page.wait_for_selector("#list .row[aria-posinset='800'][aria-selected=true]")
        page.wait_for_selector(".sheet")
