/* Words: how labels, tiers and numbers are called, and which of the few colours they have. */
"use strict";

(function (cw) {
  const SOUND = new Set(["correct", "faithful"]);
  const whole = new Intl.NumberFormat("en");

  cw.count = (value) => whole.format(value);
  cw.counted = (value, noun, several) => whole.format(value) + " " + (value === 1 ? noun : several || noun + "s");
  cw.percent = (part, all) => (all ? (100 * part / all).toFixed(part === all ? 0 : 1) + "%" : "–");
  cw.share = (value) => (value === null || value === undefined ? "–" : (100 * value).toFixed(1) + "%");
  cw.decimal = (value, places = 2) =>
    value === null || value === undefined ? "–" : value.toFixed(places).replace(/^-(?=[0.]*$)/, "").replace("-", "−");
  cw.plain = (word) => (word === null || word === undefined ? "undecided" : String(word).replaceAll("_", " "));
  const TASKS = { error: "on validity", premises: "on premises", chain: "on the chain", published: "as published" };

  /** What somebody was asked about a step. */
  cw.task = (task) => TASKS[task] || (task === "person" || task === "critique" ? task : "on " + task);

  /** A name that may break where its parts end, as `program:arithmetic` does. */
  cw.breakable = (name) =>
    String(name).split(/(?<=[:/#@_])/).flatMap((part, at) => (at ? [document.createElement("wbr"), part] : [part]));
  cw.isSound = (word) => SOUND.has(word);

  /** A step's outcome in one word. */
  cw.outcome = (label, category) => (SOUND.has(label) ? label : category || label || null);

  /** The colour of a word: sound, native, inherited, open, none. */
  cw.tone = (word) => {
    if (word === undefined) return "none";
    if (word === null || word === "undecided") return "open";
    if (SOUND.has(word)) return "sound";
    return word === "accumulation_error" ? "inherited" : "native";
  };

  /** The colour of a step: one that is valid and rests on a wrong one has inherited its error. */
  cw.toneOfStep = (step) => {
    if (!("label" in step)) return "none";
    if (step.propagated && SOUND.has(step.label)) return "inherited";
    return cw.tone(cw.outcome(step.label, step.category));
  };

  const SIGNS = { sound: "✓", native: "✕", inherited: "↳", open: "?", none: "·" };
  cw.sign = (tone) => SIGNS[tone];

  cw.meaning = {
    sound: "correct or faithful",
    native: "native error: the step is wrong by itself",
    inherited: "inherited error: the step is valid, and rests on a wrong one",
    open: "undecided",
    none: "not labelled",
  };

  cw.badge = (word, tone) =>
    cw.h("span", { class: "badge tone-" + (tone || cw.tone(word)) },
      cw.h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[tone || cw.tone(word)]), cw.plain(word));

  /** What a step is, in one word and its colour. */
  cw.stepBadge = (step) => {
    if (!("label" in step)) return cw.badge("no label yet", "none");
    const tone = cw.toneOfStep(step), word = cw.outcome(step.label, step.category);
    return cw.badge(tone === "inherited" && cw.isSound(word) ? word + ", error inherited" : word, tone);
  };

  cw.tierBadge = (tier) =>
    tier ? cw.h("span", { class: "tier tier-" + tier, title: "tier: how far the panel agrees" }, tier) : null;
})(window.chainwright);
