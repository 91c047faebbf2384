/* SPDX-License-Identifier: Apache-2.0 */
/* What is selected and shown: in the address, so that a view can be passed on and the browser goes back. */
"use strict";
const VIEWS = ["overview", "time", "stacks", "tables", "residency", "sizes"];
const ALIASES = { map: "time", timeline: "time", findings: "time" }; /* of earlier reports */
const state = { view: "", query: "", rule: "", hide: "", off: "", theme: "", process: "", finding: "", site: "", bar: "", kernel: "", frame: "", measure: "", split: "", unfold: "", time: "" };
const SELECTS = ["finding", "site", "bar", "kernel", "frame"];

/* What belongs to the selection: sets of sites, bars and spans, names of kernels. */
const selection = { finding: null, site: null, bar: null, kernel: null, frame: null, sites: new Set(), bars: new Set(), kernels: new Set(), findings: new Set(), ranges: new Set(), processes: null };

function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(state)) state[key] = given.get(key) ?? "";
  const view = given.get("view") ?? given.get("tab") ?? "";
  state.view = ALIASES[view] ?? view;
  if (!VIEWS.includes(state.view)) state.view = VIEWS[0];
  const [from, to] = state.time.split("-").map(Number);
  setRange(from, to);
}

/* `step`: the browser's Back leads to what was before. */
function writeState(step = false) {
  const kept = Object.entries(state).filter(([key, value]) => value !== "" && !(key === "view" && value === VIEWS[0]));
  const hash = "#" + new URLSearchParams(kept);
  if (hash === location.hash || (hash === "#" && !location.hash)) return;
  if (step) history.pushState(null, "", hash); else history.replaceState(null, "", hash);
}

/* What starts the ranks has memory of its own, which would take most of the map: it is drawn if it is chosen. */
const drawnProcess = (process) => shownProcess(process) && (!process.launcher || Boolean(state.process));
const shownProcess = (process) => !state.process || (process && String(process.id) === state.process);

function findSelection() {
  const all = report.findings;
  selection.finding = state.finding ? all.find((f) => identity(f) === state.finding) ?? null : null;
  selection.bar = state.bar ? model.bars[Number(state.bar)] ?? null : null;
  selection.site = selection.bar?.site ?? (state.site ? model.sites[Number(state.site)] ?? null : null);
  selection.kernel = state.kernel || null;
  selection.frame = state.frame ? frameAt(state.frame) : null;
  selection.sites = new Set(); selection.bars = new Set(); selection.kernels = new Set(); selection.findings = new Set(); selection.ranges = new Set(); selection.processes = null;
  if (selection.finding) {
    const f = selection.finding;
    f.sites.forEach((s) => selection.sites.add(s));
    f.bars.forEach((b) => selection.bars.add(b));
    kernelsOf(f).forEach((k) => selection.kernels.add(k));
    rangesOf(f).forEach((r) => selection.ranges.add(r));
    selection.findings.add(f);
    selection.processes = f.processes;
  } else if (selection.site) {
    selection.sites.add(selection.site);
    for (const bar of selection.bar ? [selection.bar] : selection.site.bars) selection.bars.add(bar);
    selection.site.findings.forEach((f) => { selection.findings.add(f); kernelsOf(f).forEach((k) => selection.kernels.add(k)); });
  } else if (selection.frame) {
    for (const site of selection.frame.sites) {
      selection.sites.add(site);
      site.bars.forEach((b) => selection.bars.add(b));
      site.findings.forEach((f) => selection.findings.add(f));
    }
  } else if (selection.kernel) {
    selection.kernels.add(selection.kernel);
    for (const f of all) if (kernelsOf(f).includes(selection.kernel)) { selection.findings.add(f); f.sites.forEach((s) => selection.sites.add(s)); f.bars.forEach((b) => selection.bars.add(b)); }
  }
}

/* Fingerprints are unique within a process. */
const identity = (f) => f.ranks ? f.fingerprint : `${f.fingerprint}@${f.pid}`;
const hasSelection = () => Boolean(selection.finding || selection.site || selection.frame || selection.kernel);
const isSelectedSpan = (span) => (!selection.processes || selection.processes.has(span.lane.process)) &&
  ((span.lane.kind === "launch" && selection.kernels.has(span.name)) || selection.sites.has(span.to) || selection.sites.has(span.from) || selection.ranges.has(span));

/* select({ finding }), select({ bar }), ...: that and nothing else. The overview has no selection: what is selected is shown where it lies. */
function select(what, view) {
  for (const key of SELECTS) state[key] = key in what ? String(what[key]) : "";
  if (view) state.view = view;
  else if (state.view === "overview" && SELECTS.some((key) => state[key])) state.view = "time";
  writeState(true);
  update();
}

function show(view) {
  state.view = view;
  writeState(true);
  update();
}
