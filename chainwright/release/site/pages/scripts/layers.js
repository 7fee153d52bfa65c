/* Layers: places for the nodes of a premise graph. A node lies one layer below its deepest premise;
   an edge that spans several layers bends around what lies between (after Sugiyama and others). */
"use strict";

(function (cw) {
  const SWEEPS = 8;

  /** `premises[k]` are the earlier steps that step k + 1 rests on; 0 is the question.
      Returns layers of nodes and the path of each edge through them, in units of a cell. */
  cw.layers = (premises) => {
    const depth = [0];
    const edges = [];
    premises.forEach((from, at) => {
      const known = [...new Set(from)].filter((one) => Number.isInteger(one) && one >= 0 && one <= at);
      depth.push(Math.max(0, ...known.map((one) => depth[one] + 1)));
      known.forEach((one) => edges.push({ from: one, to: at + 1 }));
    });
    const layers = [];
    const put = (node, layer) => {
      while (layers.length <= layer) layers.push([]);
      layers[layer].push(node);
      return node;
    };
    const nodes = depth.map((layer, step) => put({ step, layer, up: [], down: [] }, layer));
    for (const edge of edges) edge.path = bends(nodes[edge.from], nodes[edge.to], put);
    order(layers);
    place(layers);
    return { nodes, edges, layers, width: Math.max(...layers.map((layer) => layer.length)) };
  };

  /** The nodes that an edge goes through: its ends, and one without a step in each layer between. */
  function bends(from, to, put) {
    const path = [from];
    for (let layer = from.layer + 1; layer < to.layer; layer += 1) {
      path.push(put({ step: null, layer, up: [], down: [] }, layer));
    }
    path.push(to);
    for (let at = 1; at < path.length; at += 1) {
      path[at - 1].down.push(path[at]);
      path[at].up.push(path[at - 1]);
    }
    return path;
  }

  /** Sorts each layer by the mean place of its neighbours, down and up again. */
  function order(layers) {
    const number = (layer) => layer.forEach((node, at) => (node.at = at));
    layers.forEach(number);
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
      const down = sweep % 2 === 0;
      for (const layer of down ? layers : [...layers].reverse()) {
        for (const node of layer) node.pull = mean(down ? node.up : node.down, node.at, "at");
        layer.sort((a, b) => a.pull - b.pull || a.at - b.at);
        number(layer);
      }
    }
  }

  /** Spreads the nodes: each is drawn towards its neighbours, and keeps one cell from the next. */
  function place(layers) {
    for (const layer of layers) layer.forEach((node, at) => (node.x = at - (layer.length - 1) / 2));
    for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
      for (const layer of sweep % 2 ? [...layers].reverse() : layers) {
        for (const node of layer) node.wish = mean([...node.up, ...node.down], node.x, "x");
        apart(layer);
      }
    }
  }

  function apart(layer) {
    const room = (a, b) => (a.step === null && b.step === null ? 0.4 : a.step === null || b.step === null ? 0.7 : 1);
    const left = [], right = [];
    layer.forEach((node, at) => (left[at] = at ? Math.max(node.wish, left[at - 1] + room(layer[at - 1], node)) : node.wish));
    for (let at = layer.length - 1; at >= 0; at -= 1) {
      const node = layer[at];
      right[at] = at < layer.length - 1 ? Math.min(node.wish, right[at + 1] - room(node, layer[at + 1])) : node.wish;
    }
    layer.forEach((node, at) => (node.x = (left[at] + right[at]) / 2));
  }

  function mean(nodes, otherwise, key) {
    return nodes.length ? nodes.reduce((sum, node) => sum + node[key], 0) / nodes.length : otherwise;
  }
})(window.chainwright);
