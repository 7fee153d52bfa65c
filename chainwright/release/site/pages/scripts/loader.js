/* Loader: data files are scripts that call `chainwright.add`, as a page opened from the disk may
   load scripts and nothing else. What they hand over is text, parsed as JSON. */
"use strict";

window.chainwright = (function () {
  const values = new Map();
  const waiting = new Map();

  function add(name, text) {
    values.set(name, JSON.parse(text));
  }

  /** Loads a script of the report once; resolves when it has run. */
  function script(path) {
    if (!waiting.has(path)) {
      waiting.set(path, new Promise((resolve, reject) => {
        const element = document.createElement("script");
        element.src = path;
        element.onload = () => resolve();
        element.onerror = () => {
          waiting.delete(path);
          reject(new Error("The file " + path + " of this report cannot be read."));
        };
        document.head.append(element);
      }));
    }
    return waiting.get(path);
  }

  /** The value of a data file, such as `chains-00000`. */
  async function load(name) {
    if (!values.has(name)) await script("data/" + name + ".js");
    if (!values.has(name)) throw new Error("The file data/" + name + ".js of this report is damaged.");
    return values.get(name);
  }

  /** Lets go of a value that can be loaded again. */
  function forget(name) {
    values.delete(name);
    waiting.delete("data/" + name + ".js");
  }

  const number = (value) => String(value).padStart(5, "0");

  return { add, script, load, forget, number };
})();
