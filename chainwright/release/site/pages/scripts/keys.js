/* Keys: the report without a mouse. */
"use strict";

(function (cw) {
  const PAGES = { 1: "overview", 2: "chains", 3: "judges" };

  cw.startKeys = () => {
    const help = cw.byId("help"), search = cw.byId("search");
    cw.byId("help-button").addEventListener("click", () => help.showModal());
    help.addEventListener("click", (event) => event.target === help && help.close());
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
      const field = event.target.closest("input, select, textarea");
      if (event.key === "Escape") {
        if (field === search) event.preventDefault(); // some browsers would empty the box, and say nothing of it
        return leave(field, search);
      }
      if (field && !(field === search && (event.key === "Enter" || event.key === "ArrowDown"))) return;
      const inList = event.target.closest("#list") || field === search;
      if (act(event.key, inList, search, help)) event.preventDefault();
    });
  };

  function leave(field, search) {
    if (field) field.blur();
    if (field === search) cw.byId("list").focus();
    else if (!field && cw.page() !== "chains") cw.go("chains");
  }

  function act(key, inList, search, help) {
    const isChains = ["chains", "chain", "compare"].includes(cw.page());
    if (key === "?") help.showModal();
    else if (key in PAGES) cw.go(PAGES[key]);
    else if (key === "/") toChains(() => { search.focus(); search.select(); });
    else if (!isChains) return false;
    else if (key === "j" || (inList && key === "ArrowDown")) cw.step(1);
    else if (key === "k" || (inList && key === "ArrowUp")) cw.step(-1);
    else if (inList && key === "PageDown") cw.step(10);
    else if (inList && key === "PageUp") cw.step(-10);
    else if (inList && key === "Home") cw.step(-1e9);
    else if (inList && key === "End") cw.step(1e9);
    else if (inList && key === "Enter" && cw.listed.chosen < 0) cw.step(0);
    else if (inList && key === "Enter") cw.byId("detail").focus();
    else if (key === "v") cw.toggleVotes();
    else if (key === "c") cw.turn();
    else if (key === "f") openFilters();
    else return false;
    return true;
  }

  function toChains(then) {
    if (cw.page() === "overview" || cw.page() === "judges") cw.go("chains");
    setTimeout(then, 0);
  }

  function openFilters() {
    const filters = cw.byId("filters");
    filters.open = true;
    const first = filters.querySelector("select");
    if (first) first.focus();
  }
})(window.chainwright);
