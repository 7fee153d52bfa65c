/* Compare: a broken chain beside the positive it came from, step by step, what changed marked. */
"use strict";

(function (cw) {
  cw.drawPair = (positive, negative) => {
    const left = positive.chain.steps, right = negative.chain.steps;
    const pairs = cw.align(left.map((step) => step.text), right.map((step) => step.text));
    const changed = pairs.filter(([i, j]) => i === null || j === null || left[i].text !== right[j].text).length;
    const broken = negative.chain.broken;
    const head = (name, { chain }) => cw.h("th", { scope: "col" }, name, " ",
      cw.h("a", { to: ["chain", chain.id] }, cw.h("code", {}, chain.id.slice(0, 10))),
      cw.h("span", { class: "ends" }, "ends in ", chain.answer === null ? "no answer" : cw.answer(chain.answer)));
    cw.replace(cw.byId("detail"), cw.backLink("chains", "All chains"),
      cw.h("article", { class: "sheet pair", "data-chain": negative.chain.id },
        cw.h("header", { class: "problem" },
          cw.h("p", { class: "facts" }, "a positive and its synthetic negative"),
          cw.h("h2", { class: "question" }, cw.prose(negative.problem.question))),
        broken ? cw.h("p", { class: "broken" }, "Broken at step ", cw.h("b", {}, negative.chain.broken.step), ": ",
          cw.plain(broken.type), ", ", cw.plain(broken.kind), ". ", cw.h("del", {}, broken.before), " became ", cw.h("ins", {}, broken.after)) : null,
        cw.h("p", { class: "facts" }, cw.count(changed) + " of " + cw.counted(pairs.length, "step") + (changed === 1 ? " differs" : " differ") + (changed < pairs.length ? "; the others are the same to the letter." : ".")),
        cw.h("table", { class: "pairs" },
          cw.h("thead", {}, cw.h("tr", {}, head("Positive", positive), head("Synthetic negative", negative))),
          cw.h("tbody", {}, pairs.map(([i, j]) => pairRow(left[i], right[j], i, j))))));
  };

  function pairRow(one, two, i, j) {
    const isSame = one && two && one.text === two.text;
    const [left, right] = one && two && !isSame ? cw.differences(one.text, two.text) : [null, null];
    return cw.h("tr", { class: isSame ? "same" : "changed" },
      cell(one, i, left, "del", "positive"), cell(two, j, right, "ins", "synthetic negative"));
  }

  function cell(step, place, runs, mark, of) {
    if (!step) return cw.h("td", { class: "missing", "data-of": of }, "no such step");
    const tone = cw.toneOfStep(step);
    return cw.h("td", { class: "tone-" + tone, "data-of": of },
      cw.h("div", { class: "step-line" },
        cw.h("span", { class: "number" }, place + 1),
        cw.h("div", { class: "step-text" }, runs ? runs.map(([text, isOwn]) => (isOwn ? cw.h(mark, {}, text) : text)) : cw.prose(step.text))),
      "label" in step ? cw.h("div", { class: "step-facts" }, cw.stepBadge(step),
        step.premises && step.premises.length ? cw.h("span", { class: "premises" }, "from " + step.premises.map((one) => (one === 0 ? "Q" : one)).join(", ")) : null) : null);
  }
})(window.chainwright);
