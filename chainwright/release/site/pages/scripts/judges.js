/* Judges: how far they agree, how far they err together, and what exact labels say of each. */
"use strict";

(function (cw) {
  const COEFFICIENTS = [
    ["unanimity", "Unanimity", "of all steps: every judge voted, and all agree"],
    ["unanimity_complete", "Unanimity, complete panels", "of the steps on which every judge voted"],
    ["fleiss", "Fleiss’ kappa", "1 = perfect, 0 = chance"],
    ["krippendorff", "Krippendorff’s alpha", "the same, with missing votes"],
    ["gwet", "Gwet’s AC1", "holds up where one label prevails"],
  ];
  const METHOD_ROWS = [["accuracy", "right, of all"], ["decided", "decided"], ["when_decided", "right when decided"], ["errors_found", "errors found"]];

  cw.drawJudges = (page) => {
    const known = cw.overview.tracks.filter((track) => track.agreement || track.calibration);
    cw.replace(page,
      cw.h("header", { class: "title" }, cw.h("p", { class: "facts" }, "Agreement and calibration"),
        cw.h("h1", { id: "judges-title" }, "What the judges are worth"),
        cw.h("p", { class: "lede" }, known.length
          ? "How far the judges agree with each other, and how far with labels that hold by construction."
          : "Nothing is known of judges yet: the run has no votes, or its statistics are still to come.")),
      known.map((track) => trackPart(track, known.length > 1 || track.track !== "math")));
  };

  function trackPart(track, isNamed) {
    return cw.h("div", { class: "track" }, isNamed ? cw.h("h2", { class: "track-name" }, "Track " + track.track) : null,
      track.agreement ? agreementPart(track) : null,
      track.calibration ? calibrationPart(track) : null,
      track.aggregation ? aggregationPart(track.aggregation) : null);
  }

  function agreementPart({ agreement, error_correlation: together }) {
    const rows = COEFFICIENTS.filter(([key]) => agreement[key]).map(([key, name, meaning]) => cw.intervalRow(name, agreement[key], meaning));
    if (together) {
      rows.push(cw.intervalRow("Mean error correlation", together.mean, "1 = the judges err on the same steps"));
    }
    const effective = together && together.effective_votes;
    return cw.section("Agreement", cw.counted(agreement.units, "step") + " of " + cw.counted(agreement.chains, "chain") + ", " + cw.counted(agreement.judges.length, "judge") +
      "; intervals by bootstrap over chains." + (effective && effective.value !== null ? " Their votes are worth those of " + cw.decimal(effective.value, 1) + " independent judges." : ""),
    cw.intervalTable("Coefficients with 95% intervals", rows),
    cw.h("div", { class: "heats" },
      agreement.cohen.length ? cw.pairMatrix("Cohen’s kappa, pair by pair", agreement.judges, agreement.cohen, "Native votes: inherited errors are left out. Below each value its 95% interval.") : null,
      together && together.pairs.length ? cw.pairMatrix("Error correlation, pair by pair", together.judges, together.pairs, "On exact steps: do two judges err on the same ones?") : null));
  }

  function calibrationPart({ calibration, observers = [] }) {
    const judges = Object.entries(calibration.judges || {});
    const rows = [
      ...judges.map(([name, found]) => cw.intervalRow(name + (observers.includes(name) ? " (observer)" : ""), found.accuracy, "votes on " + cw.share(found.coverage) + " of exact steps")),
      calibration.panel ? cw.intervalRow("the panel’s labels", calibration.panel.accuracy, "errors inherited") : null,
      ...Object.entries(calibration.by_tier || {}).map(([tier, found]) => cw.intervalRow("tier " + tier, found, cw.count(found.voted) + " steps")),
    ];
    return cw.section("Calibration on exact labels", "Labels of chains that were broken on purpose hold by construction. Held against them, a judge shows what it sees and what it misses.",
      cw.intervalTable("Accuracy where they voted, with 95% intervals", rows),
      cw.h("div", { class: "heats" }, judges.map(([name, found]) => cw.confusion(name, found)),
        calibration.panel ? cw.confusion("The panel, errors inherited", calibration.panel) : null));
  }

  function aggregationPart({ methods, used, best }) {
    const names = Object.keys(methods);
    return cw.section("Ways of adding votes up", "On exact steps held out, fold by fold. This run used " + cw.plain(used) + (best === null ? "."
      : best === "majority" ? "; no other way is better than the majority beyond what chance may do."
      : "; " + cw.plain(best) + " is better than the majority beyond what chance may do."),
      cw.grid("Percent of held-out exact steps", names.map(cw.plain), METHOD_ROWS.map(([, name]) => name), (i, j) => {
        const found = methods[names[i]][METHOD_ROWS[j][0]];
        if (!found || found.value === null) return null;
        return { text: (100 * found.value).toFixed(1), below: (100 * found.low).toFixed(1) + " – " + (100 * found.high).toFixed(1), shade: found.value, hue: "sound" };
      }, { corner: "method" }));
  }
})(window.chainwright);
