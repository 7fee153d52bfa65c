/* Charts: bars, heat maps, matrices and intervals, each a table or list that reads well by itself. */
"use strict";

(function (cw) {
  /** Rows [name, count] as bars; `link(name)` gives what a click filters by, or nothing. */
  cw.bars = (rows, { tone = () => "plain", link = () => null, all = null } = {}) => {
    const most = Math.max(1, ...rows.map(([, count]) => count));
    const total = all === null ? rows.reduce((sum, [, count]) => sum + count, 0) : all;
    return cw.h("ol", { class: "bars" }, rows.map(([name, count]) => {
      const wanted = link(name);
      const words = cw.plain(name);
      return cw.h("li", {},
        wanted
          ? cw.h("button", { type: "button", class: "bar-name", title: "Show these chains", on: { click: () => cw.filterBy(wanted) } }, words)
          : cw.h("span", { class: "bar-name" }, words),
        cw.h("span", { class: "bar-track", "aria-hidden": "true" },
          cw.h("i", { class: "fill-" + tone(name), css: { width: (100 * count / most).toFixed(2) + "%" } })),
        cw.h("span", { class: "bar-count" }, cw.count(count)),
        cw.h("span", { class: "bar-share" }, cw.percent(count, total)));
    }));
  };

  /** Rows [name, count] as one bar of parts with a legend. */
  cw.stack = (rows, kind) => {
    const all = rows.reduce((sum, [, count]) => sum + count, 0);
    return cw.h("div", { class: "stack" },
      cw.h("div", { class: "stack-bar", "aria-hidden": "true" }, rows.map(([name, count]) =>
        cw.h("i", { class: kind + "-" + name, css: { "flex-grow": String(count) } }))),
      cw.h("ul", {}, rows.map(([name, count]) => cw.h("li", {}, cw.h("span", { class: "swatch " + kind + "-" + name, "aria-hidden": "true" }),
        cw.plain(name), " ", cw.h("b", {}, cw.percent(count, all)), cw.h("small", {}, cw.count(count))))));
  };

  /** A table whose cells are shaded: `cell(i, j)` gives {text, shade 0..1, hue, title, to}. */
  cw.grid = (caption, rows, columns, cell, { corner = "", note = null } = {}) =>
    cw.h("figure", { class: "grid-figure" + (columns.length > 5 ? " wide" : "") },
      cw.h("figcaption", {}, caption),
      cw.h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption + ", a table" },
        cw.h("table", { class: "grid" },
          cw.h("thead", {}, cw.h("tr", {}, corner ? cw.h("th", { scope: "col" }, corner) : cw.h("td", {}),
            columns.map((name) => cw.h("th", { scope: "col" }, cw.h("span", {}, cw.breakable(name)))))),
          cw.h("tbody", {}, rows.map((name, i) => cw.h("tr", {}, cw.h("th", { scope: "row", title: name }, cw.breakable(name)),
            columns.map((_, j) => gridCell(cell(i, j)))))))),
      note ? cw.h("p", { class: "footnote" }, note) : null);

  function gridCell(found) {
    if (!found) return cw.h("td", { class: "void" });
    const { text, shade = 0, hue = "accent", title, to, below } = found;
    const css = { "--shade": Math.max(0, Math.min(1, shade)).toFixed(3) };
    const inner = [text, below ? cw.h("small", {}, below) : null];
    return cw.h("td", { class: "shaded hue-" + (text === "·" ? "none" : hue), css, title },
      to ? cw.h("button", { type: "button", title, on: { click: () => cw.filterBy(to) } }, inner) : inner);
  }

  /** Steps by category and by source or generator: percent of each row's steps. */
  cw.heat = ({ of, rows, columns, counts, steps }) => {
    const rate = (i, j) => (steps[i] ? counts[i][j] / steps[i] : 0);
    const most = Math.max(1e-9, ...rows.flatMap((_, i) => columns.map((_, j) => rate(i, j))));
    return cw.grid("Category by " + of, rows, columns.map(cw.plain), (i, j) => ({
      text: counts[i][j] ? (100 * rate(i, j)).toFixed(1) : "·",
      shade: rate(i, j) / most,
      hue: columns[j] === "accumulation_error" ? "inherited" : "native",
      title: cw.plain(columns[j]) + " in " + rows[i] + ": " + cw.counted(counts[i][j], "step") + " of " + cw.count(steps[i]),
      to: counts[i][j] ? { [of]: rows[i], category: columns[j] } : null,
    }), { corner: of, note: "Percent of the steps of each " + of + ". A cell leads to its chains." });
  };

  /** A symmetric matrix of pairs [{first, second, statistic}]. */
  cw.pairMatrix = (caption, names, pairs, note) => {
    const known = new Map();
    for (const { first, second, statistic } of pairs) {
      known.set(first + "\n" + second, statistic);
      known.set(second + "\n" + first, statistic);
    }
    return cw.grid(caption, names, names, (i, j) => {
      const found = i === j ? null : known.get(names[i] + "\n" + names[j]);
      if (!found) return null;
      const { value, low, high, n, reason } = found;
      const interval = low === null ? "" : ", interval " + cw.decimal(low, 3) + " to " + cw.decimal(high, 3);
      const title = value === null ? reason : cw.decimal(value, 3) + interval + ", " + cw.counted(n, "step");
      return { text: cw.decimal(value), below: value === null || low === null ? null : cw.decimal(low) + " – " + cw.decimal(high), shade: Math.max(0, value || 0), title };
    }, { note });
  };

  /** A confusion matrix: rows are what holds, columns what was said. */
  cw.confusion = (caption, { labels, columns, counts }) => {
    const kept = labels.map((_, i) => i).filter((i) => counts[i].some((count) => count > 0));
    const sums = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
    return cw.grid(caption, kept.map((i) => cw.plain(labels[i])), columns.map(cw.plain), (row, j) => {
      const i = kept[row];
      return {
        text: counts[i][j] ? cw.count(counts[i][j]) : "·",
        shade: counts[i][j] / (sums[i] || 1),
        hue: columns[j] === labels[i] ? "sound" : columns[j] === "abstained" ? "open" : "native",
        title: cw.plain(labels[i]) + " called " + cw.plain(columns[j]) + ": " + cw.percent(counts[i][j], sums[i]),
      };
    }, { corner: "exact ↓ said →" });
  };

  /** A value with its interval on the scale from 0 to 1, in a row of a table. */
  cw.intervalRow = (name, found, meaning) => {
    const { value, low, high, reason } = found;
    const at = (number) => (100 * Math.max(0, Math.min(1, number))).toFixed(1) + "%";
    const has = value !== null && value !== undefined;
    const hasInterval = low !== null && low !== undefined;
    return cw.h("tr", {}, cw.h("th", { scope: "row" }, name, meaning ? cw.h("small", {}, meaning) : null),
      cw.h("td", { class: "figure" }, cw.decimal(value, 3)),
      cw.h("td", { class: has ? "figure soft" : "unknown soft", colspan: has ? null : 2 }, hasInterval ? cw.decimal(low, 3) + " – " + cw.decimal(high, 3) : "", !has && reason ? cw.plain(reason) : ""),
      has ? cw.h("td", { class: "whisker-cell", "aria-hidden": "true" },
        cw.h("div", { class: "whisker" },
          hasInterval ? cw.h("i", { class: "line", css: { left: at(low), width: (100 * (Math.min(1, high) - Math.max(0, low))).toFixed(1) + "%" } }) : null,
          cw.h("i", { class: "dot", css: { left: at(value) } }))) : null);
  };

  cw.intervalTable = (caption, rows) => cw.h("table", { class: "intervals" },
    cw.h("caption", {}, caption),
    cw.h("thead", { class: "away" }, cw.h("tr", {}, ["what", "value", "95% interval", "drawn"].map((name) => cw.h("th", { scope: "col" }, name)))),
    cw.h("tbody", {}, rows));
})(window.chainwright);
