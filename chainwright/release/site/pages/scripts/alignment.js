/* Alignment: which steps of two chains answer each other, and which words of two steps differ. */
"use strict";

(function (cw) {
  const GAP = 0.35, MOST_STEPS = 120, MOST_WORDS = 500;

  const words = (text) => text.match(/\d+(?:[.,]\d+)*|\p{L}+|\s+|[^\p{L}\d\s]/gu) || [];

  /** How much two texts have in common, from 0 to 1 (Dice, over distinct words). */
  function likeness(a, b) {
    if (a === b) return 1;
    const one = new Set(words(a)), two = new Set(words(b));
    let shared = 0;
    for (const word of one) shared += two.has(word) ? 1 : 0;
    return one.size + two.size ? (2 * shared) / (one.size + two.size) : 1;
  }

  /** Pairs [place in a, place in b] in order; null stands where the other chain has no such step. */
  cw.align = (a, b) => {
    if (a.length === b.length || a.length > MOST_STEPS || b.length > MOST_STEPS) return byPlace(a, b);
    const best = table(a, b, (i, j) => likeness(a[i], b[j]) - GAP);
    return walk(best, a, b, (i, j) => likeness(a[i], b[j]) - GAP);
  };

  function byPlace(a, b) {
    const rows = Math.max(a.length, b.length);
    return Array.from({ length: rows }, (_, at) => [at < a.length ? at : null, at < b.length ? at : null]);
  }

  /** What the rest of both is worth at most, from every pair of places on. */
  function table(a, b, worth) {
    const best = Array.from({ length: a.length + 1 }, () => new Float64Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i -= 1) {
      for (let j = b.length - 1; j >= 0; j -= 1) {
        best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + worth(i, j));
      }
    }
    return best;
  }

  function walk(best, a, b, worth) {
    const pairs = [];
    let i = 0, j = 0;
    while (i < a.length || j < b.length) {
      const both = i < a.length && j < b.length;
      if (both && worth(i, j) > 0 && best[i][j] === best[i + 1][j + 1] + worth(i, j)) pairs.push([i++, j++]);
      else if (i < a.length && (j === b.length || best[i][j] === best[i + 1][j])) pairs.push([i++, null]);
      else pairs.push([null, j++]);
    }
    return pairs;
  }

  /** Both texts as runs [text, whether it is in this one alone]. */
  cw.differences = (one, two) => {
    const a = words(one), b = words(two);
    if (a.length > MOST_WORDS || b.length > MOST_WORDS) return [[[one, one !== two]], [[two, one !== two]]];
    const same = (i, j) => (a[i] === b[j] ? 1 : -1);
    const best = table(a, b, same);
    const left = [], right = [];
    for (const [i, j] of walk(best, a, b, same)) {
      if (i !== null && j !== null) {
        extend(left, a[i], false);
        extend(right, b[j], false);
      } else if (i !== null) extend(left, a[i], true);
      else extend(right, b[j], true);
    }
    return [left, right];
  };

  function extend(runs, text, isOwn) {
    const last = runs[runs.length - 1];
    if (last && last[1] === isOwn) last[0] += text;
    else runs.push([text, isOwn]);
  }
})(window.chainwright);
