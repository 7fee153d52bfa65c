/* App: what is loaded when, and which page an address means. */
"use strict";

(function (cw) {
  const parts = () => location.hash.replace(/^#\/?/, "").split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return "";
    }
  });

  cw.page = () => parts()[0] || "overview";

  cw.go = (...to) => {
    location.hash = "#/" + to.map(encodeURIComponent).join("/");
  };

  /** From a broken chain to the comparison and back. */
  cw.turn = () => {
    const [page, id] = parts();
    if (page === "compare") cw.go("chain", id);
    else if (page === "chain" && cw.index.parent[cw.index.place.get(id)]) cw.go("compare", id);
  };

  async function route() {
    const [page, id] = [cw.page(), parts()[1]];
    const isChains = ["chains", "chain", "compare"].includes(page);
    const shown = isChains ? "chains" : page === "judges" ? "judges" : "overview";
    for (const section of document.querySelectorAll(".page")) section.hidden = section.id !== "page-" + shown;
    for (const link of document.querySelectorAll("nav a")) {
      if (link.dataset.page === shown) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.body.classList.toggle("reads", isChains && Boolean(id));
    document.body.classList.toggle("fixed", isChains);
    if (!isChains) return window.scrollTo(0, 0);
    await cw.whenIndexed;
    cw.refresh();
    if (id) await read(page, id);
    else cw.replace(cw.byId("detail"), hint());
  }

  async function read(page, id) {
    const found = await cw.chain(id);
    if (location.hash.indexOf(encodeURIComponent(id)) < 0) return;  // another one was asked for meanwhile
    if (!found) return cw.replace(cw.byId("detail"), cw.backLink("chains", "All chains"), cw.h("p", { class: "empty" }, "This report has no chain " + id + "."));
    cw.mark(found.at);
    const parent = page === "compare" && found.chain.parent && (await cw.chain(found.chain.parent));
    if (parent) cw.drawPair(parent, found);
    else cw.drawChain(found);
    cw.byId("detail").scrollTop = 0;
    cw.markWords(cw.byId("detail"));
  }

  function hint() {
    return cw.h("div", { class: "hint" }, cw.h("p", {}, "Choose a chain, or press ", cw.h("kbd", {}, "j"), " for the first one."),
      cw.h("p", {}, cw.h("kbd", {}, "/"), " searches, ", cw.h("kbd", {}, "?"), " lists all keys."));
  }

  function complain(error) {
    console.error(error);
    cw.replace(cw.byId("main"), cw.h("div", { class: "page" }, cw.h("h1", {}, "This report cannot be shown"),
      cw.h("p", { class: "note" }, String(error.message || error)),
      cw.h("p", {}, "Was the whole folder copied? `chainwright report` writes it anew.")));
  }

  const idle = window.requestIdleCallback || ((then) => setTimeout(then, 200));

  async function start() {
    cw.overview = await cw.load("overview");
    document.title = cw.overview.title + " – chainwright report";
    cw.byId("run-name").textContent = cw.overview.name;
    cw.drawOverview(cw.byId("page-overview"));
    cw.drawJudges(cw.byId("page-judges"));
    cw.whenIndexed = cw.loadIndex();
    cw.startList();
    cw.startKeys();
    const guarded = () => route().catch(complain);
    window.addEventListener("hashchange", guarded);
    await guarded();
    await cw.whenIndexed;
    document.documentElement.dataset.ready = "list";
    idle(() => cw.loadTexts().then(() => {
      document.documentElement.dataset.ready = "texts";
      if (cw.listed.query) cw.refresh();
    }, complain));
  }

  start().catch(complain);
})(window.chainwright);
