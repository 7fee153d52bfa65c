/* Graph: a chain's premises drawn as a layered graph, the question on top. */
"use strict";

(function (cw) {
  const CELL = 58, ROW = 62, RADIUS = 15, EDGE = 26;

  /** The drawing for a chain's steps; `choose` is told the step that somebody points out. */
  cw.graph = (steps, choose) => {
    if (!steps.some((step) => step.premises && step.premises.length)) {
      return cw.h("p", { class: "empty" }, "No premises are known for these steps.");
    }
    const plan = cw.layers(steps.map((step) => step.premises || []));
    const xs = plan.layers.flat().map((node) => node.x);
    const left = Math.min(...xs), right = Math.max(...xs);
    const width = Math.max(150, (right - left) * CELL + 2 * EDGE + 2 * RADIUS);
    const height = (plan.layers.length - 1) * ROW + 2 * EDGE + 6;
    const shift = (width - (right - left) * CELL) / 2;
    const x = (node) => shift + (node.x - left) * CELL;
    const y = (node) => EDGE + 3 + node.layer * ROW;
    const tones = [undefined, ...steps.map(cw.toneOfStep)];
    const drawing = cw.s("svg", {
      class: "graph", viewBox: [0, 0, width, height].map(Math.round).join(" "),
      role: "group", "aria-label": "Premise graph of " + cw.counted(steps.length, "step"),
      css: { "--width": Math.round(width) + "px" },
    });
    const wrong = (step) => tones[step] === "native" || tones[step] === "inherited";
    for (const { from, to, path } of plan.edges) {
      const passes = wrong(from) && wrong(to);
      drawing.append(cw.s("path", {
        class: "edge" + (passes ? " passes" : "") + (from === 0 ? " given" : ""),
        d: curve(path.map((node) => [x(node), y(node)])), "data-from": from, "data-to": to,
      }));
    }
    for (const node of plan.nodes) drawing.append(dot(node.step, x(node), y(node), steps, tones, choose));
    return drawing;
  };

  function dot(step, x, y, steps, tones, choose) {
    const isQuestion = step === 0;
    const tone = isQuestion ? "question" : tones[step];
    const says = isQuestion ? "the question" : "step " + step + ", " + cw.meaning[tone] + ", rests on " + rests(steps[step - 1].premises);
    return cw.s("g", {
      class: "dot tone-" + tone, transform: "translate(" + Math.round(x) + " " + Math.round(y) + ")",
      tabindex: "0", role: "button", "aria-label": says, "data-step": step,
      on: {
        click: () => choose(step),
        keydown: (event) => {
          if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            choose(step);
          }
        },
      },
    },
    cw.s("title", {}, says),
    shape(tone),
    cw.s("text", { "text-anchor": "middle", dy: "0.36em" }, isQuestion ? "Q" : step));
  }

  /** Kinds of steps differ in shape as well as in colour. */
  function shape(tone) {
    if (tone === "native") return cw.s("path", { d: "M0 -18 L18 0 L0 18 L-18 0 Z" });
    if (tone === "question") return cw.s("rect", { x: -19, y: -14, width: 38, height: 28, rx: 8 });
    if (tone === "inherited") return cw.s("rect", { x: -15, y: -15, width: 30, height: 30, rx: 7 });
    return cw.s("circle", { r: RADIUS });
  }

  function rests(premises) {
    const named = (premises || []).map((one) => (one === 0 ? "the question" : "step " + one));
    return named.length ? named.join(", ") : "nothing that is known";
  }

  function curve(points) {
    const [first, ...rest] = points.map(([x, y]) => [Math.round(x * 10) / 10, Math.round(y * 10) / 10]);
    let path = "M" + first.join(" "), [x, y] = first;
    for (const [nextX, nextY] of rest) {
      const middle = (y + nextY) / 2;
      path += " C" + [x, middle, nextX, middle, nextX, nextY].join(" ");
      [x, y] = [nextX, nextY];
    }
    return path;
  }

  cw.restsOn = rests;
})(window.chainwright);
