/* SPDX-License-Identifier: Apache-2.0 */
/* The data of all recordings as one set of processes, sites, bars, calls and moves, with links between them and the findings. */
"use strict";
const data = JSON.parse(byId("data").textContent);
const report = data.report;
const analysed = report.analysed ?? report.complete; /* older reports have the second alone */
const fails = ["incomplete", "unknown"].includes(report.recording?.status);
const silence = fails ? (report.recording.status === "unknown" ? "it is unknown whether the recording is complete" : "the recording is incomplete") : "not everything was analysed";
const model = { processes: [], sites: [], bars: [], lanes: [], moves: [], ranges: [], rangesLeftOut: 0, kernels: [], sources: new Map(), duration: 1, leftOut: 0, leastBar: 0, mergeGap: 0, unseen: 0 };

const frameKey = (f) => `${f.function ?? ""}|${f.file ?? f.module ?? ""}|${f.file ? f.line : 0}`;
const stackKey = (frames) => frames.map(frameKey).join("\n");

function addView(view) {
  const firstProcess = model.processes.length, firstSite = model.sites.length;
  const text = (index) => index < 0 ? null : view.names[index];
  const frames = view.frames.map(([name, file, line, module]) => ({ function: text(name), file: text(file), line, module: text(module) }));
  const siteOf = (index) => index == null || index < 0 ? null : model.sites[firstSite + index];
  model.duration = Math.max(model.duration, view.duration_ns);
  model.leftOut += view.bars_left_out;
  model.leastBar = Math.max(model.leastBar, view.bar_minimum);
  model.mergeGap = Math.max(model.mergeGap, view.merge_gap_ns);
  for (const p of view.processes) model.processes.push({ ...p, id: model.processes.length, launches: 0, used: false });
  const processOf = (index) => model.processes[firstProcess + index];
  for (const s of view.sites) {
    const stack = view.stacks[s.stack].map((i) => frames[i]);
    model.sites.push({ ...s, id: model.sites.length, process: processOf(s.process), stack, key: stackKey(stack), bars: [], calls: [], findings: [] });
  }
  for (const [site, address, size, start, end] of view.bars) {
    const bar = { id: model.bars.length, site: siteOf(site), address, size, start, end: end ?? view.duration_ns, freed: end != null };
    if (!bar.site) continue;
    bar.site.bars.push(bar);
    bar.site.process.used = true;
    model.bars.push(bar);
  }
  for (const l of view.lanes) {
    const lane = { ...l, process: processOf(l.process ?? 0) };
    lane.spans = l.spans.map(([start, end, calls, moved, name, done, to, from]) =>
      ({ lane, start, end, count: calls, bytes: moved, name: text(name), done: done || 0, until: Math.max(end, done || 0), to: siteOf(to), from: siteOf(from) }));
    lane.process.used = true;
    for (const span of lane.spans) {
      span.to?.calls.push(span);
      if (span.from !== span.to) span.from?.calls.push(span);
    }
    model.lanes.push(lane);
  }
  for (const [process, start, end, from, to, moved, cause, site, kernel] of view.moves)
    model.moves.push({ process: processOf(process), start, end, from, to, bytes: moved, cause: text(cause), to_site: siteOf(site), kernel: text(kernel) });
  addRanges(view, processOf, text);
  for (const [process, name, launches, items] of view.kernels) {
    model.kernels.push({ process: processOf(process), name: text(name), launches, items });
    processOf(process).launches += launches;
  }
  for (const [file, lines] of Object.entries(view.sources)) model.sources.set(file, { ...model.sources.get(file), ...lines });
}

/* `head`: the finding that stands for its cause, itself or another one. */
function addFinding(f, index, head = f) {
  const ranks = f.ranks && new Set(f.ranks.map((r) => `${r.rank} ${r.pid}`));
  f.index = index;
  f.processes = new Set(model.processes.filter((p) => ranks ? ranks.has(`${p.rank} ${p.pid}`) : (f.pids ?? [f.pid]).includes(p.pid)));
  f.sites = new Set();
  f.bars = new Set();
  const memory = f.allocation;
  if (memory?.stack.length) linkSites(f, memory.api, stackKey(memory.stack));
  for (const c of f.candidates ?? []) if (c.stack.length) linkSites(f, c.api, stackKey(c.stack));
  const address = memory ? Number(memory.address) : -1;
  for (const p of f.processes) for (const bar of model.barsAt.get(`${p.id} ${address}`) ?? []) {
    if (memory.stack.length && !f.sites.has(bar.site)) continue; /* other memory at the same address */
    f.sites.add(bar.site);
    f.bars.add(bar);
  }
  if (!memory || memory.several || ranks?.size > 1 || f.pids || !f.bars.size || f.candidates) for (const s of f.sites) for (const bar of s.bars) f.bars.add(bar);
  for (const s of f.sites) if (!s.findings.includes(head)) s.findings.push(head);
  for (const o of f.others ?? []) {
    addFinding(o, index, f);
    o.sites.forEach((s) => f.sites.add(s));
    o.bars.forEach((b) => f.bars.add(b));
    o.processes.forEach((p) => f.processes.add(p));
  }
}

function linkSites(f, api, key) {
  for (const p of f.processes) for (const site of model.sitesBy.get(`${p.id} ${api} ${key}`) ?? []) f.sites.add(site);
}

function groupBy(list, keyOf) {
  const groups = new Map();
  for (const item of list) {
    const key = keyOf(item);
    if (groups.has(key)) groups.get(key).push(item); else groups.set(key, [item]);
  }
  return groups;
}

/* A finding and the others of its cause. */
const ofCause = (f) => [f, ...(f.others ?? [])];
const kernelsOf = (f) => [...new Set(ofCause(f).map((o) => o.kernel).filter(Boolean))];

function startModel() {
  for (const view of data.views) if (view) addView(view); else model.unseen++;
  model.sitesBy = groupBy(model.sites, (s) => `${s.process.id} ${s.api} ${s.key}`);
  const wanted = new Set(report.findings.flatMap(ofCause).map((f) => Number(f.allocation?.address)));
  model.barsAt = groupBy(model.bars.filter((b) => wanted.has(b.address)), (b) => `${b.site.process.id} ${b.address}`);
  report.findings.forEach((f, index) => addFinding(f, index));
  model.offending = new Set(report.findings.flatMap((f) => [...f.bars]));
  for (const p of model.processes) p.label = (p.rank == null ? "" : `rank ${p.rank}, `) + `process ${p.pid}`;
  const ranks = model.processes.some((p) => p.rank != null);
  for (const p of model.processes) p.launcher = ranks && p.rank == null && !p.launches && !report.findings.some((f) => f.processes.has(p));
  model.several = model.processes.filter((p) => p.used).length > 1;
}

/* What is said of processes that are not drawn unless they are chosen. */
function launchersText() {
  const all = model.processes.filter((p) => p.launcher && p.used);
  return all.length ? ` The memory of ${count(all.length, "process", "processes")} without a rank, which launched nothing (${[...new Set(all.map((p) => p.command.replace(/^\S*\//, "").slice(0, 40)))].slice(0, 3).join("; ")}), is drawn when the process is chosen.` : "";
}

/* Why a part is empty: `why`, unless the reports that were merged say nothing of it. */
const emptyFor = (why) => model.unseen === data.views.length ?
  "The reports that were merged do not have it: \u2018hipgrain report --partial=FILE --view=PARTS\u2019 adds it, and merging the recordings themselves." : why;

/* ---- what a finding leads to ---- */

function launchesOf(f) {
  const kernels = new Set(kernelsOf(f));
  return kernels.size ? model.lanes.filter((l) => l.kind === "launch" && f.processes.has(l.process)).flatMap((l) => l.spans.filter((s) => kernels.has(s.name))) : [];
}
const callsOf = (sites) => [...new Set([...sites].flatMap((s) => s.calls))];
