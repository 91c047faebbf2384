/* SPDX-License-Identifier: Apache-2.0 */
/* All parts together: themes, keys, the splitter, and what follows a change. */
"use strict";
let drawnFor = "";

function showTheme() {
  const chosen = state.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  document.documentElement.dataset.theme = chosen;
  color.known = {};
  pattern.known.clear();
}

/* After any change of the state: everything that is on the screen. */
function update() {
  showTheme();
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const on = tab.dataset.view === state.view;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    byId(tab.dataset.view).hidden = !on;
    tab.hidden = !on && model.emptyViews.has(tab.dataset.view);
  }
  byId("zoom").hidden = !["overview", "time", "residency"].includes(state.view);
  const shown = [state.process, state.off, state.measure, state.split, state.unfold].join("|");
  if (drawnFor !== shown) {
    drawnFor = shown;
    timeline.rows = timelineRows();
    timeline.sorted = null;
    chooseBars();
    growFlame();
  }
  findSelection();
  showFilters();
  for (const box of byId("map-legend").querySelectorAll("input")) box.checked = !state.off.split(",").includes(box.name);
  showFindings();
  showDetail();
  paintSummary();
  paintTables();
  paintFlame();
  charts.forEach((c) => c.paint());
  if (hasSelection()) scrollLanes();
}

function summary() {
  const counts = SEVERITIES.map((s) => [s, report.findings.filter((f) => f.severity === s).length]).filter(([, n]) => n);
  const named = report.processes.filter((p) => p.launches || report.processes.length === 1);
  let commands = [...new Set(named.map((p) => p.command || p.exe || `process ${p.pid}`))];
  if (commands.length > 1) commands = commands.map((c) => c.replace(/^\S*\//, ""));
  return commands.slice(0, 3).join("; ") + (commands.length > 3 ? ` and ${commands.length - 3} more` : "") + (data.views.length > 1 ? ` (${data.views.length} recordings)` : "") +
    ": " + (counts.length ? counts.map(([s, n]) => `${n} ${s}${n > 1 && s !== "advice" ? "s" : ""}`).join(", ") : analysed && !fails ? report.end?.killed ? "nothing found that explains how the program ended" : "nothing found" : "no finding") + (analysed ? "" : "; not everything was analysed") +
    (report.recording?.status === "incomplete" ? `; the recording is incomplete${report.recording.missing ? `: ${report.recording.missing} events are missing` : ""}` : "") +
    (report.recording?.status === "unknown" ? "; unknown whether the recording is complete" : "") +
    (model.unseen ? `; ${model.unseen} of its reports have no view: \u2018hipgrain report --partial=FILE --view=${data.views.length}\u2019 adds it` : "");
}

/* What the selection covers in time. */
function showSelection() {
  const spans = model.lanes.flatMap((l) => l.spans.filter(isSelectedSpan));
  if (selection.bars.size) showBars(selection.bars); else if (spans.length) showSpans(spans);
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  if (event.target.matches("input:not([type=checkbox]), select, textarea")) { if (event.key === "Escape") event.target.blur(); return; }
  if (event.target.matches("[role=tab]") && ["ArrowLeft", "ArrowRight"].includes(event.key)) {
    const full = VIEWS.filter((v) => v === state.view || !model.emptyViews.has(v));
    show(full[(full.indexOf(state.view) + (event.key === "ArrowRight" ? 1 : full.length - 1)) % full.length]);
    document.querySelector("[role=tab][aria-selected=true]").focus();
    event.preventDefault();
    return;
  }
  const keys = {
    w: () => zoomTime(0.7), "+": () => zoomTime(0.7), "=": () => zoomTime(0.7), s: () => zoomTime(1 / 0.7), "-": () => zoomTime(1 / 0.7),
    a: () => panTime(-0.2), d: () => panTime(0.2), 0: () => { [map.low, map.high] = [0, 1]; moveTo(0, model.duration); }, f: showSelection,
    j: () => stepFinding(1), k: () => stepFinding(-1), "/": () => byId("query").focus(), "?": () => byId("keys").showModal(), Escape: () => { if (hasSelection()) select({}); },
  };
  if (event.key >= "1" && event.key <= String(VIEWS.length)) show(VIEWS[event.key - 1]);
  else if (event.key in keys) keys[event.key]();
  else return;
  event.preventDefault();
}

function startSplitter() {
  const splitter = byId("splitter"), set = (percent) => {
    const value = Math.round(Math.min(Math.max(percent, 15), 85));
    splitter.setAttribute("aria-valuenow", String(value));
    byId("workspace").style.setProperty("--detail", `${value}%`);
    repaint();
  };
  splitter.addEventListener("pointerdown", (event) => splitter.setPointerCapture(event.pointerId));
  splitter.addEventListener("pointermove", (event) => {
    const box = byId("workspace").getBoundingClientRect();
    if (splitter.hasPointerCapture(event.pointerId)) set((event.clientY - box.top) / box.height * 100);
  });
  splitter.addEventListener("keydown", (event) => {
    const by = { ArrowUp: -4, ArrowDown: 4 }[event.key];
    if (!by) return;
    set(Number(splitter.getAttribute("aria-valuenow")) + by);
    event.preventDefault();
  });
}

function startProcesses() {
  const used = model.processes.filter((p) => p.used), box = byId("process");
  used.sort((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity) || a.pid - b.pid || 0);
  box.append(element("option", { value: "" }, `all ${used.length}`), ...used.map((p) => element("option", { value: String(p.id) }, `${p.label}: ${p.command.slice(0, 60)}`)));
  byId("process-label").hidden = used.length < 2;
  box.addEventListener("change", () => { state.process = box.value; writeState(true); update(); });
}

function start() {
  startModel();
  byId("summary").textContent = byId("summary").title = summary();
  startFindings();
  startProcesses();
  startTimeline();
  startMap();
  startFlame();
  startTables();
  startResidency();
  startSummary();
  startSplitter();
  for (const tab of document.querySelectorAll("[role=tab]")) tab.addEventListener("click", () => show(tab.dataset.view));
  for (const [name, action] of Object.entries({ in: () => zoomTime(0.5), out: () => zoomTime(2), all: () => moveTo(0, model.duration), selection: showSelection }))
    byId("zoom").querySelector(`[data-zoom=${name}]`).addEventListener("click", action);
  byId("theme").addEventListener("click", () => { state.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark"; writeState(); update(); });
  byId("keys-button").addEventListener("click", () => byId("keys").showModal());
  document.addEventListener("keydown", press);
  addEventListener("resize", () => { repaint(); paintFlame(); });
  addEventListener("popstate", () => { readState(); update(); });
  addEventListener("hashchange", () => { readState(); update(); });
  addEventListener("beforeprint", fillPrinted);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);
  readState();
  const first = report.findings.filter(matches)[0];
  if (first && !SELECTS.some((key) => state[key])) { state.finding = identity(first); writeState(); }
  update();
  document.documentElement.dataset.ready = "yes";
}

start();
