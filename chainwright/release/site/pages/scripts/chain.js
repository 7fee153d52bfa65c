/* Chain: one chain, its steps beside its premise graph, votes on demand. */
"use strict";

(function (cw) {
  const LONG = 400, SHOWN = 200;

  /** Draws a chain into the right half of the page. */
  cw.drawChain = ({ at, chain, problem, by }) => {
    const known = chain.steps.some((step) => step.premises && step.premises.length);
    const steps = cw.h("ol", { class: "steps" }, chain.steps.map((step, place) => stepItem(step, place + 1, by, known)));
    const graph = cw.graph(chain.steps, (step) => pointOut(step, true));
    const sheet = cw.h("article", { class: "sheet", "data-chain": chain.id },
      problemPart(problem),
      headPart(at, chain),
      chain.whole.length ? cw.h("div", { class: "whole" }, cw.h("h3", {}, "On the chain as a whole"), voteTable(chain.whole, by)) : null,
      cw.h("div", { class: "reading" },
        cw.h("div", {}, cw.h("div", { class: "steps-head" }, cw.h("h3", {}, "Steps"), allVotes(chain)), steps),
        cw.h("aside", { class: "graph-box", "aria-label": "Premise graph" }, cw.h("h3", {}, "Premises"), graph, legend(chain.steps))));
    cw.replace(cw.byId("detail"), cw.backLink("chains", "All chains"), sheet);
    for (const step of sheet.querySelectorAll(".step")) {
      step.addEventListener("mouseenter", () => light(Number(step.dataset.step)));
      step.addEventListener("mouseleave", () => light(null));
    }
  };

  cw.backLink = (page, words) => cw.h("a", { class: "back", to: [page] }, "← ", words);

  function problemPart(problem) {
    const facts = [problem.source, problem.split, problem.track, problem.licence].filter(Boolean);
    return cw.h("header", { class: "problem" },
      cw.h("p", { class: "facts" }, facts.join(" · ")),
      cw.h("h2", { class: "question" }, cw.prose(problem.question)),
      problem.options.length ? cw.h("ol", { class: "options" }, problem.options.map((one) => cw.h("li", {}, cw.prose(one)))) : null,
      problem.context.length
        ? cw.h("details", { class: "passages" }, cw.h("summary", {}, cw.counted(problem.context.length, "passage")),
          problem.context.map(([ref, title, text]) => cw.h("p", {}, cw.h("b", {}, "[" + ref + "] " + title), " ", cw.prose(text))))
        : null,
      problem.answer === null ? null : cw.h("p", { class: "gold-answer" }, "Answer ", cw.h("b", {}, cw.answer(problem.answer))));
  }

  function headPart(at, chain) {
    const right = { true: ["right", "sound"], false: ["wrong", "native"], null: ["undecided", "open"] }[chain.right];
    const fact = (name, ...value) => cw.h("div", {}, cw.h("dt", {}, name), cw.h("dd", {}, value));
    return cw.h("div", { class: "chain-head" },
      cw.h("dl", { class: "chain-facts" },
        fact("chain", cw.h("code", {}, chain.id)),
        fact("kind", cw.plain(chain.polarity)),
        fact("by", chain.generator),
        fact("ends in", chain.answer === null ? "no answer" : cw.answer(chain.answer), " ", cw.badge(right[0], right[1])),
        chain.tier ? fact("tier", cw.tierBadge(chain.tier)) : null),
      chain.broken ? brokenPart(chain.broken) : null,
      relatives(at, chain));
  }

  function brokenPart(broken) {
    return cw.h("p", { class: "broken" }, "Broken on purpose at step ", cw.h("b", {}, broken.step), ": ",
      cw.plain(broken.type), ", ", cw.plain(broken.kind), ". ",
      cw.h("del", {}, broken.before), " became ", cw.h("ins", {}, broken.after));
  }

  /** Links to the positive a chain came from, or to the negatives that came from it. */
  function relatives(at, chain) {
    if (chain.parent && cw.index.place.has(chain.parent)) {
      return cw.h("p", { class: "relatives" }, cw.h("a", { class: "button", to: ["compare", chain.id] }, "Beside its positive"),
        " ", cw.h("a", { to: ["chain", chain.parent] }, "Open the positive"));
    }
    const children = cw.index.children.get(chain.id) || [];
    if (!children.length) return null;
    return cw.h("p", { class: "relatives" }, cw.counted(children.length, "broken copy", "broken copies") + ": ",
      children.slice(0, 12).map((child, place) => [
        place ? ", " : "",
        cw.h("a", { to: ["compare", cw.index.id[child]] }, "broken at step " + (cw.index.first[child] || "?")),
      ]));
  }

  function stepItem(step, number, by, isKnown) {
    const tone = cw.toneOfStep(step);
    const word = cw.outcome(step.label, step.category);
    const panel = step.panel && cw.outcome(step.panel[0], step.panel[1]);
    const votes = step.votes || [];
    const listed = votes.filter((vote) => vote[1] !== "premises").length;
    return cw.h("li", { class: "step tone-" + tone, id: "step-" + number, "data-step": number, tabindex: "-1" },
      cw.h("div", { class: "step-line" },
        cw.h("span", { class: "number", "aria-hidden": "true" }, number),
        cw.h("div", { class: "step-text" }, cw.h("span", { class: "away" }, "Step " + number + ": "), cw.prose(step.text))),
      cw.h("div", { class: "step-facts" },
        cw.stepBadge(step),
        isKnown && step.premises ? premisesOf(step.premises) : null,
        step.cites ? cw.h("span", { class: "cites" }, "cites " + step.cites.map((one) => "[" + one + "]").join(" ")) : null,
        step.tier ? cw.tierBadge(step.tier) : null,
        step.source ? cw.h("span", { class: "source" }, step.source === "exact" ? "exact" : "by " + step.source) : null,
        step.panel && step.source !== "panel" && panel !== word
          ? cw.h("span", { class: "against" }, "panel says ", cw.plain(panel)) : null,
        step.reason ? cw.h("span", { class: "reason" }, cw.plain(step.reason)) : null),
      votes.length
        ? cw.h("details", { class: "votes" }, cw.h("summary", {}, cw.counted(listed || votes.length, "vote")), voteTable(votes, by))
        : null);
  }

  function premisesOf(premises) {
    if (!premises.length) return cw.h("span", { class: "premises" }, "no premises");
    return cw.h("span", { class: "premises" }, "from ", premises.map((one) => cw.h("button", {
      type: "button", class: "premise", "aria-label": "Premise: " + (one === 0 ? "the question" : "step " + one),
      on: { click: () => pointOut(one, true) },
    }, one === 0 ? "Q" : one)));
  }

  function voteTable(votes, by) {
    return cw.h("table", { class: "vote-table" },
      cw.h("thead", { class: "away" }, cw.h("tr", {}, ["who", "says", "why"].map((name) => cw.h("th", { scope: "col" }, name)))),
      cw.h("tbody", {}, votes.map(([who, task, status, label, category, premises, why]) =>
        cw.h("tr", {},
          cw.h("th", { scope: "row" }, cw.breakable(by[who]), cw.h("small", {}, cw.task(task))),
          cw.h("td", {}, said(task, status, label, category, premises)),
          cw.h("td", { class: "why" }, why ? reasons(why) : "")))));
  }

  /** Why a vote was cast; of a long text the beginning, and the whole on demand. */
  function reasons(why) {
    if (why.length <= LONG) return cw.prose(why);
    return cw.h("details", { class: "long" }, cw.h("summary", {}, cw.prose([...why].slice(0, SHOWN).join("").trimEnd() + " …")), cw.prose(why));
  }

  function said(task, status, label, category, premises) {
    if (status !== "ok") return cw.badge(status, "open");
    if (task === "premises") return "rests on " + cw.restsOn(premises);
    if (label === null) return "";
    return cw.badge(cw.outcome(label, category));
  }

  function allVotes(chain) {
    if (!chain.steps.some((step) => step.votes)) return null;
    return cw.h("button", { type: "button", class: "quiet", id: "all-votes", on: { click: () => cw.toggleVotes() } }, "Show all votes");
  }

  /** Opens the votes of every step, or closes them where all are open. */
  cw.toggleVotes = () => {
    const all = [...document.querySelectorAll("#detail .votes")];
    const open = all.some((one) => !one.open);
    for (const one of all) one.open = open;
    const button = cw.byId("all-votes");
    if (button) button.textContent = open ? "Hide all votes" : "Show all votes";
  };

  function pointOut(step, isMoving) {
    light(step);
    const target = step === 0 ? document.querySelector(".question") : cw.byId("step-" + step);
    if (!target || !isMoving) return;
    target.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    target.classList.add("pointed");
    setTimeout(() => target.classList.remove("pointed"), 1200);
  }

  /** Lights up a step in the graph, with the edges that lead to it and from it. */
  function light(step) {
    const drawing = document.querySelector("#detail .graph");
    if (!drawing) return;
    drawing.classList.toggle("lit", step !== null);
    for (const dot of drawing.querySelectorAll(".dot")) dot.classList.toggle("on", Number(dot.dataset.step) === step);
    for (const edge of drawing.querySelectorAll(".edge")) {
      edge.classList.toggle("on", step !== null && [edge.dataset.from, edge.dataset.to].includes(String(step)));
    }
  }

  function legend(steps) {
    const tones = [...new Set(steps.map(cw.toneOfStep))];
    return cw.h("ul", { class: "legend" }, ["sound", "native", "inherited", "open", "none"]
      .filter((tone) => tones.includes(tone))
      .map((tone) => cw.h("li", {}, cw.h("span", { class: "swatch tone-" + tone, "aria-hidden": "true" }, cw.sign(tone)), cw.meaning[tone])));
  }
})(window.chainwright);
