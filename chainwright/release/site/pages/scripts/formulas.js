/* Formulas: LaTeX within a text, drawn by KaTeX where the report has it, and otherwise shown as it
   is written. Prices such as $5 are no formulas. */
"use strict";

(function (cw) {
  const LONGEST = 2000;
  const MACROS = { "\\mbox": "\\text{#1}", "\\cancelto": "\\cancel{#2}^{#1}" };
  const ENVIRONMENT = "align|aligned|alignat|array|bmatrix|Bmatrix|cases|equation|gather|gathered|matrix|pmatrix|smallmatrix|split|vmatrix|Vmatrix";
  const PARTS = new RegExp(
    "(\\$\\$[^$]{1,2000}?\\$\\$)" +
    "|(\\\\\\[[\\s\\S]{1,2000}?\\\\\\])" +
    "|(\\\\\\([\\s\\S]{1,2000}?\\\\\\))" +
    "|(\\\\begin\\{(" + ENVIRONMENT + ")\\*?\\}[\\s\\S]{1,2000}?\\\\end\\{\\5\\*?\\})" +
    "|(\\$(?=[^\\s$])(?:[^$\\\\\\n]|\\\\[\\s\\S]){1,1000}?\\$(?!\\d))" +
    "|(<<[^<>\\n]{1,200}>>)" +
    "|(\\[asy\\][\\s\\S]{1,20000}?\\[/asy\\])",
    "g",
  );
  const TEX = /[\\^_{}=+<>]/;
  const UNSEEN = /([\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff])/;
  let ready = null;

  /** Whether what is between two single dollars is a formula, and not the words between prices. */
  function isFormula(inner) {
    if (/\s$/.test(inner)) return false;
    return TEX.test(inner) || /^[A-Za-z0-9!'().,/*-]{1,12}$/.test(inner);
  }

  /** A text as parts: [kind, text, formula], the kinds being text, mark, drawing, inline and display. */
  function parts(text) {
    const found = [];
    let at = 0;
    const push = (kind, whole, inner) => found.push([kind, whole, inner]);
    PARTS.lastIndex = 0;
    for (let match; (match = PARTS.exec(text)); ) {
      const [whole, dollars, square, round, environment, , single, mark, drawing] = match;
      if (single && !isFormula(single.slice(1, -1))) {
        PARTS.lastIndex = match.index + 1;
        continue;
      }
      if (match.index > at) push("text", text.slice(at, match.index));
      at = match.index + whole.length;
      if (mark) push("mark", whole);
      else if (drawing) push("drawing", whole);
      else if (single) push("inline", whole, whole.slice(1, -1));
      else if (round) push("inline", whole, whole.slice(2, -2));
      else push("display", whole, dollars || square ? whole.slice(2, -2) : environment);
    }
    if (at < text.length) push("text", text.slice(at));
    return found.map(tight);
  }

  /** A displayed formula has room of its own: the line breaks around it are not drawn as well. */
  function tight(part, at, all) {
    const [kind, whole] = part;
    if (kind !== "text") return part;
    const after = at > 0 && all[at - 1][0] === "display", before = at < all.length - 1 && all[at + 1][0] === "display";
    return [kind, (after ? whole.replace(/^[ \t]*\n+/, "") : whole).replace(before ? /\n+[ \t]*$/ : /$^/, "")];
  }

  function draw(element, formula, isDisplay) {
    try {
      window.katex.render(formula, element, {
        displayMode: isDisplay,
        throwOnError: true,
        trust: false,
        strict: "ignore",
        maxExpand: 200,
        maxSize: 20,
        macros: { ...MACROS },
        output: "htmlAndMathml",
      });
      element.classList.add("drawn");
    } catch (fault) {
      element.title = "not drawn: " + String(fault.message).slice(0, 200);
    }
  }

  function katex() {
    if (!ready) {
      const sheet = document.createElement("link");
      sheet.rel = "stylesheet";
      sheet.href = "katex/katex.css";
      document.head.append(sheet);
      ready = cw.script("katex/katex.js");
    }
    return ready;
  }

  function formula(whole, inner, isDisplay) {
    const element = cw.h(isDisplay ? "div" : "span", { class: "formula" }, whole);
    if (cw.overview.katex && inner.length <= LONGEST) {
      katex().then(() => {
        const kept = element.textContent;
        draw(element, inner, isDisplay);
        if (!element.classList.contains("drawn")) element.textContent = kept;
      }, () => {});
    }
    return element;
  }

  /** A drawing in Asymptote, which nothing here runs: its source, on demand. */
  function drawing(whole) {
    return cw.h("details", { class: "drawing" }, cw.h("summary", {}, "a drawing, as its source"), cw.h("code", {}, seen(whole)));
  }

  /** A text with every character spelled out that could hide, or turn the reading direction. */
  function seen(text) {
    return text.split(UNSEEN).map((part, at) => {
      if (at % 2 === 0) return part;
      const code = part.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
      return cw.h("span", { class: "unseen", title: "a character that is not seen" }, "U+" + code);
    });
  }

  /** A text as nodes, its formulas drawn and its calculator marks set small. */
  cw.prose = (text) => parts(text).map(([kind, whole, inner]) => {
    if (kind === "text") return seen(whole);
    if (kind === "drawing") return drawing(whole);
    if (kind === "mark") return cw.h("span", { class: "calc" }, whole);
    return formula(whole, inner, kind === "display");
  });

  /** A final answer: LaTeX without dollars is a formula as a whole, and stays in its line. */
  cw.answer = (text) => {
    if (/\$/.test(text) || !/\\[A-Za-z]|[\^_]\{?\w/.test(text)) return cw.prose(text);
    return [formula(text, text, false)];
  };

  cw.textParts = parts;
})(window.chainwright);
