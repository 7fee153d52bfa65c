/* Search: which chains a query and filters leave. The listing comes first and the steps' texts when
   the page is idle, so that a query reaches questions at once and steps a moment later. */
"use strict";

(function (cw) {
  const index = {
    size: 0, id: [], question: [], steps: [], errors: [], first: [], parent: [], outline: [],
    facets: {}, text: [], hay: [], place: new Map(), children: new Map(), hasTexts: false,
  };
  cw.index = index;

  /** Loads the listing, all its parts at once. */
  cw.loadIndex = async () => {
    const names = [...Array(cw.overview.shards).keys()].map((at) => "index-" + cw.number(at));
    for (const shard of await Promise.all(names.map(cw.load))) take(shard);
    names.forEach(cw.forget);
    for (let at = 0; at < index.size; at += 1) {
      const parent = index.parent[at];
      if (parent) index.children.set(parent, [...(index.children.get(parent) || []), at]);
    }
  };

  function take(shard) {
    const folded = shard.questions.map(fold);
    for (const { facet } of cw.overview.facets) {
      const column = (index.facets[facet] = index.facets[facet] || []);
      for (const value of shard[facet]) column.push(value);
    }
    for (let row = 0; row < shard.id.length; row += 1) {
      index.place.set(shard.id[row], index.size);
      index.id.push(shard.id[row]);
      index.question.push(shard.questions[shard.question[row]]);
      index.hay.push(folded[shard.question[row]]);
      for (const key of ["steps", "errors", "first", "parent", "outline"]) index[key].push(shard[key][row]);
      index.size += 1;
    }
  }

  /** Loads the texts of the steps, one part after the other. */
  cw.loadTexts = async () => {
    for (let at = 0; at < cw.overview.shards; at += 1) {
      const name = "text-" + cw.number(at);
      for (const text of await cw.load(name)) index.text.push(fold(text));
      cw.forget(name);
    }
    index.hasTexts = true;
  };

  function fold(text) {
    return text.toLowerCase();
  }

  /** The words of a query; within quotes they stay together. */
  cw.wordsOf = (query) =>
    (fold(query).match(/"[^"]+"|\S+/g) || []).map((word) => word.replace(/^"|"$/g, "")).filter(Boolean);

  /** Places of the chains that have every word of the query and every value that is asked for.
      `filters` maps a facet to the number of a value. */
  cw.search = (query, filters) => {
    const words = cw.wordsOf(query);
    const wanted = Object.entries(filters);
    const found = [];
    for (let at = 0; at < index.size; at += 1) {
      if (wanted.every(([facet, code]) => has(facet, at, code)) && words.every((word) => says(at, word))) found.push(at);
    }
    return found;
  };

  function has(facet, at, code) {
    const value = index.facets[facet][at];
    return Array.isArray(value) ? value.includes(code) : value === code;
  }

  function says(at, word) {
    return index.hay[at].includes(word) || index.id[at].startsWith(word) || (index.text[at] || "").includes(word);
  }

  /** The value of a facet that a chain has, or the values. */
  cw.valueOf = (facet, at) => {
    const { values } = cw.overview.facets.find((one) => one.facet === facet);
    const code = index.facets[facet][at];
    return Array.isArray(code) ? code.map((one) => values[one]) : values[code];
  };

  /** A chain with its problem and the names of those who judged it, by its id. */
  cw.chain = async (id) => {
    const at = index.place.get(id);
    if (at === undefined) return null;
    const chunk = await cw.load("chains-" + cw.number(Math.floor(at / cw.overview.per_chunk)));
    const chain = chunk.chains.find((one) => one.id === id);
    return { at, chain, problem: chunk.problems[chain.problem], by: chunk.by };
  };
})(window.chainwright);
