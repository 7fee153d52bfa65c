"""The pages of a report in a real browser, opened from the disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from chainwright.release.site.build import write_site
from tests.release.conftest import make_chain, make_labels, make_negative, make_problem
from tests.release.site_browser import opened
from tests.release.site_rows import HOSTILE, chain_id, facts, hostile_block


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
        page.wait_for_selector("#list")  # the page turns after the key
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
        assert page.input_value("#search") == "jk?"
        assert page.locator("#help[open]").count() == 0
        press("Escape")
        assert page.evaluate("document.activeElement.id") == "list"
        assert page.input_value("#search") == "jk?"
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
