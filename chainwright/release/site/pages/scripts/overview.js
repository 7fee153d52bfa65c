/* Overview: from problems to release, labels and tiers, where errors are, what models cost. */
"use strict";

(function (cw) {
  cw.drawOverview = (page) => {
    const { overview } = cw;
    cw.replace(page,
      cw.h("header", { class: "title" },
        cw.h("p", { class: "facts" }, "Reasoning corpus · " + overview.name),
        cw.h("h1", { id: "title" }, overview.title),
        cw.h("p", { class: "lede" }, lede(overview)),
        overview.notes.length ? cw.h("ul", { class: "note" }, overview.notes.map((note) => cw.h("li", {}, note))) : null),
      tiles(overview),
      funnel(overview.funnel),
      labels(overview.figures),
      errors(overview.figures),
      models(overview),
      overview.map ? mapPart() : null,
      cw.h("footer", { class: "colophon" }, "Made by chainwright " + overview.chainwright + ". Every figure is computed from the tables of this run.",
        overview.katex ? " Formulas are drawn by KaTeX " + overview.katex + "." : " Formulas are shown as LaTeX source."));
  };

  function lede({ problems, figures }) {
    const { chains, steps, labelled_steps: labelled } = figures.counts;
    const of = Object.fromEntries(figures.chains.polarity || []);
    const kinds = [["positive", "positive"], ["negative", "negative"], ["synthetic_negative", "broken on purpose"], ["undecided", "undecided"]]
      .filter(([kind]) => of[kind]).map(([kind, words]) => cw.count(of[kind]) + " " + words);
    const open = (Object.fromEntries(figures.steps.outcome || []).undecided || 0) + steps - (labelled || 0);
    const told = !labelled ? "No step is labelled yet." : open ? cw.percent(steps - open, steps) + " of the steps have a label; " + cw.count(open) + (open === 1 ? " is" : " are") + " undecided." : "Every step has a label.";
    return cw.counted(problems, "problem") + ", " + cw.counted(chains || 0, "chain") + " of " + cw.counted(steps || 0, "step") +
      (kinds.length ? ": " + kinds.join(", ") : "") + ". " + told;
  }

  function tiles({ problems, figures, tracks }) {
    const { chains, steps } = figures.counts;
    const tiers = Object.fromEntries(figures.steps.tier || []);
    const judged = Object.values(tiers).reduce((sum, count) => sum + count, 0);
    const outcomes = figures.steps.outcome || [];
    const wrong = outcomes.filter(([word]) => ["native", "inherited"].includes(cw.tone(word))).reduce((sum, [, count]) => sum + count, 0);
    const gold = tracks.map((track) => track.calibration && track.calibration.by_tier && track.calibration.by_tier.gold).find(Boolean);
    const found = [
      [cw.count(problems), "problems"], [cw.count(chains || 0), "chains"], [cw.count(steps || 0), "steps"],
      wrong ? [cw.percent(wrong, steps), "of steps in error"] : null,
      judged ? [cw.percent(tiers.gold || 0, judged), "of steps gold"] : null,
      gold ? [cw.share(gold.value), "of gold labels right", "on " + cw.counted(gold.voted, "exact step")] : null,
    ];
    return cw.h("dl", { class: "tiles" }, found.filter(Boolean).map(([value, name, more]) =>
      cw.h("div", {}, cw.h("dt", {}, name, more ? cw.h("small", {}, more) : null), cw.h("dd", {}, value))));
  }

  function section(title, words, ...children) {
    return cw.h("section", { class: "part" }, cw.h("h2", {}, title), words ? cw.h("p", { class: "intro" }, words) : null, children);
  }

  function funnel(stages) {
    const rows = stages.flatMap(({ stage, blocks, tables }) => {
      const moved = tables.filter(({ taken, made, rejected }) => taken || made || rejected.length);
      return moved.length ? moved.map((table, at) => funnelRow(at ? "" : stage, stage, blocks, table)) : [emptyRow(stage, blocks)];
    });
    return section("From problems to release", "What entered each stage, what it made, and what it turned away. In every row, in\u00a0=\u00a0out\u00a0+\u00a0rejects.",
      cw.h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Stages, a table" },
        cw.h("table", { class: "funnel" },
          cw.h("thead", {}, cw.h("tr", {}, ["stage", "rows", "in", "", "out", "rejected"].map((name) =>
            name ? cw.h("th", { scope: "col" }, name) : cw.h("td", {})))),
          cw.h("tbody", {}, rows))));
  }

  function funnelRow(name, stage, blocks, { table, taken, made, rejected }) {
    const all = Math.max(taken, made, 1);
    const lost = rejected.reduce((sum, [, count]) => sum + count, 0);
    return cw.h("tr", { class: name ? "first" : null },
      cw.h("th", { scope: "row" }, name ? [stage, part(blocks)] : cw.h("span", { class: "away" }, stage)),
      cw.h("td", {}, table), cw.h("td", { class: "figure" }, cw.count(taken)),
      cw.h("td", { class: "flow", "aria-hidden": "true" }, cw.h("div", {},
        cw.h("i", { class: "kept", css: { width: (100 * made / all).toFixed(2) + "%" } }),
        cw.h("i", { class: "lost", css: { width: (100 * lost / all).toFixed(2) + "%" } }))),
      cw.h("td", { class: "figure" }, cw.count(made)),
      cw.h("td", { class: "reasons" }, lost
        ? rejected.map(([reason, count]) => cw.h("span", { class: "reason-chip" }, cw.h("b", {}, cw.count(count)), " " + cw.plain(reason)))
        : cw.h("span", { class: "soft" }, "none")));
  }

  function emptyRow(stage, blocks) {
    return cw.h("tr", { class: "first" }, cw.h("th", { scope: "row" }, stage, part(blocks)),
      cw.h("td", { class: "soft", colspan: 5 }, blocks && blocks[0] ? "moved no rows" : "not run yet"));
  }

  /** `3 of 6 blocks`, where not all are done. */
  function part(blocks) {
    if (!blocks || !blocks[0] || blocks[0] === blocks[1]) return null;
    return cw.h("small", {}, cw.count(blocks[0]) + (blocks[1] === null ? " blocks" : " of " + cw.counted(blocks[1], "block")));
  }

  function labels({ chains, steps }) {
    const outcome = steps.outcome || [];
    if (!outcome.length && !(chains.polarity || []).length) return null;
    const byWord = (name) => (cw.isSound(name) || name === "undecided" ? { label: name } : { category: name });
    const panel = (title, ...children) => cw.h("div", { class: "panel" }, cw.h("h3", {}, title), children);
    return section("Labels and tiers", "A tier says how far the judges agree on a step. It is a pattern of votes, not a promise of accuracy.",
      cw.h("div", { class: "panels" },
        outcome.length ? panel("Steps by label", cw.bars(outcome, { tone: cw.tone, link: byWord })) : null,
        panel("Chains by kind", cw.bars(chains.polarity || [], { link: (name) => ({ polarity: name }) }),
          cw.h("h3", {}, "Chains by origin"), cw.bars(chains.origin || [], { link: (name) => ({ origin: name }) })),
        steps.tier ? panel("Tiers of steps", cw.stack(steps.tier, "tier"), cw.h("h3", {}, "Tiers of chains"), cw.stack(chains.tier, "tier"),
          cw.h("h3", {}, "Where labels come from"), cw.bars(steps.label_source)) : null));
  }

  function errors({ heat, first, evenly }) {
    if (!heat.length) return null;
    return section("Where the errors are", null,
      cw.h("div", { class: "heats" }, heat.map(cw.heat), first.length ? firstErrors(first, evenly) : null));
  }

  function firstErrors(tenths, evenly) {
    const most = Math.max(...tenths, ...evenly), all = tenths.reduce((sum, count) => sum + count, 0);
    return cw.h("figure", { class: "grid-figure" }, cw.h("figcaption", {}, "Where in its chain the first error is"),
      cw.h("ol", { class: "columns" }, tenths.map((count, at) =>
        cw.h("li", {}, cw.h("span", { class: "away" }, "tenth " + (at + 1) + " of the chain: "),
          cw.h("span", { class: "column-count" }, (100 * count / all).toFixed(count && count < all / 10 ? 1 : 0) + "%"),
          cw.h("div", { class: "column", "aria-hidden": "true" },
            cw.h("i", { css: { height: (100 * count / most).toFixed(1) + "%" } }),
            cw.h("b", { css: { bottom: (100 * evenly[at] / most).toFixed(1) + "%" } })),
          cw.h("span", { class: "away" }, ", evenly spread it would be " + cw.percent(evenly[at], all))))),
      cw.h("p", { class: "axis", "aria-hidden": "true" }, cw.h("span", {}, "first step"), cw.h("span", {}, "last step")),
      cw.h("p", { class: "footnote" }, cw.counted(all, "chain") + " whose first error is known, by tenths of the chain. The lines show where the errors would be if each step of a chain were as likely: short chains have first and last steps, and little between."));
  }

  function models({ models: asked, budget }) {
    if (!asked.length) return section("Models", "No model was asked: everything here was made and judged by programs.");
    const heads = ["model", "answers", "refused", "tokens in", "tokens out", "cost, US$", "when"];
    const spent = asked.reduce((sum, one) => sum + one.usd, 0);
    const cost = (one) => (one.unpriced === one.answers + one.refused ? "–" : one.usd.toFixed(2));
    return section("Models and what they cost", budget ? "Budget over the run's life: " + budget + " spent." : null,
      cw.h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Models, a table" },
        cw.h("table", { class: "plain" },
          cw.h("thead", {}, cw.h("tr", {}, heads.map((name) => cw.h("th", { scope: "col" }, name)))),
          cw.h("tbody", {}, asked.map((one) => cw.h("tr", {}, cw.h("th", { scope: "row" }, one.model),
            [cw.count(one.answers), cw.count(one.refused), cw.count(one.input_tokens), cw.count(one.output_tokens), cost(one)].map((value) => cw.h("td", { class: "figure" }, value)),
            cw.h("td", {}, one.first === one.last ? one.first : one.first + " to " + one.last)))))),
      cw.h("p", { class: "footnote" }, asked.some((one) => cost(one) !== "–")
        ? "In all US$ " + spent.toFixed(2) + ", as far as prices are known; a model without a known price has –."
        : "No price is known for any of these answers."));
  }

  function mapPart() {
    const link = cw.h("a", { class: "button" }, "Open the map of critiques");
    link.href = "map.html";
    return section("Taxonomy", "Every critique as a point, near to those that say the like.", cw.h("p", {}, link));
  }

  cw.section = section;
})(window.chainwright);
