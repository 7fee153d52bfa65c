/* DOM: elements from values. Text only ever becomes a text node, and no attribute that could run or
   fetch something is set from data. */
"use strict";

(function (cw) {
  const SVG = "http://www.w3.org/2000/svg";
  const PLAIN = /^(class|id|role|tabindex|title|type|for|value|scope|colspan|open|hidden|disabled|d|x|y|r|cx|cy|width|height|viewBox|rx|dx|dy|transform|text-anchor|lang|name|selected|aria-[a-z]+|data-[a-z]+)$/;

  function filled(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "on") {
        for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
      } else if (name === "css") {
        for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
      } else if (name === "to") {
        element.setAttribute("href", "#/" + value.map(encodeURIComponent).join("/"));
      } else if (PLAIN.test(name)) {
        element.setAttribute(name, value === true ? "" : String(value));
      } else {
        throw new Error("attribute " + name);
      }
    }
    append(element, children);
    return element;
  }

  function append(element, children) {
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined || child === false) continue;
      element.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
  }

  /** An element: `h("p", {class: "note"}, "text", child)`. */
  cw.h = (tag, attributes, ...children) =>
    filled(document.createElement(tag), attributes, children);

  /** The same in SVG. */
  cw.s = (tag, attributes, ...children) =>
    filled(document.createElementNS(SVG, tag), attributes, children);

  cw.replace = (element, ...children) => {
    element.replaceChildren();
    append(element, children);
  };

  cw.byId = (id) => document.getElementById(id);
})(window.chainwright);
