/* List: the chains that were found; only the rows in view exist as elements. */
"use strict";

(function (cw) {
  const HEIGHT = 66;
  const state = { found: [], chosen: -1, query: "", filters: {} };
  let box, body, drawn = "";
  cw.listed = state;

  cw.startList = () => {
    box = cw.byId("list");
    body = cw.h("div", { class: "rows", role: "presentation" });
    box.append(body);
    box.addEventListener("scroll", () => draw(), { passive: true });
    new ResizeObserver(() => draw()).observe(box);
    box.addEventListener("click", (event) => {
      const row = event.target.closest("[data-at]");
      if (row) cw.go("chain", cw.index.id[Number(row.dataset.at)]);
    });
    let later = 0;
    cw.byId("search").addEventListener("input", (event) => {
      clearTimeout(later);
      state.query = event.target.value;
      later = setTimeout(cw.refresh, cw.index.size > 50000 ? 150 : 30);
    });
    facets();
  };

  function facets() {
    const known = cw.overview.facets.filter(({ values }) => values.length > 1);
    cw.replace(cw.byId("facets"), known.map(({ facet, values, chains }) => {
      const order = [...values.keys()].sort((a, b) => chains[b] - chains[a]);
      return cw.h("label", { class: "facet" }, cw.h("span", {}, facet === "votes" ? "judges" : facet),
        cw.h("select", { "data-facet": facet, on: { change: (event) => choose(facet, event.target.value) } },
          cw.h("option", { value: "" }, "any"),
          order.map((code) => cw.h("option", { value: code }, named(facet, values[code]) + " (" + cw.count(chains[code]) + ")"))));
    }));
  }

  /** A value as it is read: words of ours without underscores, names of sources and models as they are. */
  function named(facet, value) {
    return ["source", "generator"].includes(facet) ? value : cw.plain(value);
  }

  function choose(facet, value) {
    if (value === "") delete state.filters[facet];
    else state.filters[facet] = Number(value);
    cw.refresh();
  }

  /** Sets filters by the values' names, as a click on a figure does. */
  cw.filterBy = (wanted) => {
    state.filters = {};
    state.query = cw.byId("search").value = "";
    for (const [facet, value] of Object.entries(wanted)) {
      const known = cw.overview.facets.find((one) => one.facet === facet);
      const code = known ? known.values.indexOf(value) : -1;
      if (code >= 0) state.filters[facet] = code;
    }
    cw.refresh();
    cw.go("chains");
  };

  /** Searches anew and draws what was found. */
  cw.refresh = () => {
    state.found = cw.search(state.query, state.filters);
    for (const select of document.querySelectorAll("#facets select")) {
      const code = state.filters[select.dataset.facet];
      select.value = code === undefined ? "" : String(code);
    }
    chips();
    const all = cw.index.size;
    const waiting = state.query && !cw.index.hasTexts ? " (the steps are still being read)" : "";
    cw.byId("found").textContent = state.found.length === all
      ? cw.counted(all, "chain")
      : cw.count(state.found.length) + " of " + cw.counted(all, "chain") + waiting;
    body.style.height = state.found.length * HEIGHT + "px";
    drawn = "";
    if (state.found.length * HEIGHT < box.scrollTop) box.scrollTop = 0;
    draw();
  };

  function chips() {
    const values = Object.entries(state.filters).map(([facet, code]) => {
      const name = named(facet, cw.overview.facets.find((one) => one.facet === facet).values[code]);
      return cw.h("button", {
        type: "button", class: "chip", "aria-label": "Remove the filter " + facet + ": " + name,
        on: { click: () => choose(facet, "") },
      }, facet, cw.h("b", {}, name), cw.h("span", { "aria-hidden": "true" }, "×"));
    });
    cw.replace(cw.byId("chips"), values);
  }

  function draw() {
    const first = Math.max(0, Math.floor(box.scrollTop / HEIGHT) - 4);
    const last = Math.min(state.found.length, first + Math.ceil(box.clientHeight / HEIGHT) + 9);
    const key = first + ":" + last + ":" + state.chosen;
    if (key === drawn) return;
    drawn = key;
    if (!state.found.length) {
      cw.replace(body, cw.h("p", { class: "empty" }, "No chain has all of this. Take a word or a filter away."));
      return;
    }
    cw.replace(body, state.found.slice(first, last).map((at, row) => line(at, first + row)));
    box.setAttribute("aria-activedescendant", state.chosen >= 0 ? "row-" + state.chosen : "");
  }

  function line(at, row) {
    const polarity = cw.valueOf("polarity", at);
    const errors = cw.index.errors[at];
    return cw.h("div", {
      class: "row", role: "option", id: "row-" + at, "data-at": at,
      "aria-selected": at === state.chosen ? "true" : "false",
      "aria-posinset": row + 1, "aria-setsize": state.found.length,
      css: { top: row * HEIGHT + "px", height: HEIGHT + "px" },
    },
    cw.h("span", { class: "row-question" }, cw.index.question[at]),
    cw.h("span", { class: "row-facts" }, cw.outline(cw.index.outline[at]),
      cw.h("span", { class: "row-kind" }, cw.plain(polarity) + (errors ? ", " + cw.counted(errors, "error") : "")),
      cw.h("span", { class: "row-by" }, cw.valueOf("source", at))));
  }

  const TONES = { c: "sound", n: "native", a: "inherited", u: "open", "-": "none" };

  /** The steps of a chain as a row of small marks. */
  cw.outline = (letters) =>
    cw.h("span", { class: "outline", "aria-hidden": "true" },
      [...letters.slice(0, 24)].map((letter) => cw.h("i", { class: "tone-" + TONES[letter] })));

  /** Marks a chain as the one that is read, and brings its row into view. */
  cw.mark = (at) => {
    state.chosen = at;
    const row = state.found.indexOf(at);
    if (row >= 0 && box.clientHeight) {
      const top = row * HEIGHT;
      if (top < box.scrollTop) box.scrollTop = top;
      else if (top + HEIGHT > box.scrollTop + box.clientHeight) box.scrollTop = top + HEIGHT - box.clientHeight;
    }
    drawn = "";
    draw();
  };

  /** Marks the words of the query where they stand in a chain, in browsers that can. */
  cw.markWords = (sheet) => {
    if (!window.CSS || !CSS.highlights || !window.Highlight) return;
    const found = [], words = cw.wordsOf(state.query);
    const texts = document.createTreeWalker(sheet, NodeFilter.SHOW_TEXT);
    while (words.length && texts.nextNode() && found.length < 500) {
      const node = texts.currentNode, text = node.data.toLowerCase();
      if (text.length !== node.length || !node.parentElement.closest(".question, .step-text")) continue;
      for (const word of words) {
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + word.length);
          found.push(range);
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...found));
  };

  /** Goes on by so many chains of the list. */
  cw.step = (by) => {
    const row = state.found.indexOf(state.chosen);
    const next = row < 0 && Math.abs(by) < 2 ? 0 : Math.min(state.found.length - 1, Math.max(0, row + by));
    if (state.found.length) cw.go("chain", cw.index.id[state.found[next]]);
  };
})(window.chainwright);
