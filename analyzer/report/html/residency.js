/* SPDX-License-Identifier: Apache-2.0 */
/* Where the pages of allocations were over time, and what moved. */
"use strict";
const SERIES_ROW = 26;
const rowPlace = (row) => row.file ? `${row.file}:${row.line}` : "?";

/* The latest point at or before a time, in order of time. */
function latest(points, ns) {
  let low = 0, high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle].ns <= ns) low = middle + 1; else high = middle;
  }
  return points[low - 1];
}

const seriesShown = () => report.residency.filter((s) => !state.process || model.processes[Number(state.process)]?.pid === s.pid);

function drawSeries(chart, context) {
  let drawn = 0;
  seriesShown().forEach((series, row) => {
    const top = AXIS + row * SERIES_ROW + 3, tall = SERIES_ROW - 6, size = Math.max(series.size, 1);
    const fill = (points, i, part, name) => {
      const x = Math.max(chart.px(points[i].ns), chart.gutter), right = chart.px(points[i + 1]?.ns ?? model.duration);
      if (right < chart.gutter || x > chart.gutter + chart.width || !(part > 0)) return;
      drawn++;
      context.fillStyle = color(name);
      const high = Math.max(tall * Math.min(part, 1), 1);
      context.fillRect(x, top + tall - high, Math.max(right - x, 1), high);
    };
    context.fillStyle = color("--stripe");
    context.fillRect(chart.gutter, top, chart.width, tall);
    series.moves.forEach((point, i) => fill(series.moves, i, point.on_device / size, "--coarse"));
    context.globalAlpha = 0.5;
    series.samples.forEach((point, i) => fill(series.samples, i, point.looked ? point.on_host / point.looked : 0, "--fine"));
    context.globalAlpha = 1;
    chart.label(context, `${bytes(series.size)} ${series.api ?? ""} ${series.file ? fileName(series.file) + ":" + series.line : ""}`, top + tall / 2);
  });
  return drawn;
}

function pickSeries(chart, x, y) {
  const series = seriesShown()[Math.floor((y - AXIS) / SERIES_ROW)];
  return series && x >= chart.gutter && y >= AXIS ? { series, ns: chart.ns(x), start: 0, end: model.duration } : null;
}

function saySeries({ series, ns }) {
  const move = latest(series.moves, ns), sample = latest(series.samples, ns);
  return `${bytes(series.size)} at ${series.address}: ${series.api}, process ${series.pid}, ${rowPlace(series)}; at ${time(Math.round(ns))}: ` +
    (move ? `${bytes(move.on_device)} on the GPU` : "location on GPUs unknown") +
    (sample ? `, ${bytes(sample.on_host)} of ${bytes(sample.looked)} sampled on the host` : ", not sampled on the host");
}

function startResidency() {
  const total = (ways) => Object.values(ways).reduce((a, b) => a + b, 0);
  const cause = (m) => m.kernel ?? (m.phase ? (m.phase.within ? "during " : "after ") + callOf(m.phase.after) : "");
  const bar = (address, pid) => model.bars.find((b) => b.address === Number(address) && b.site.process.pid === pid);
  const unmoved = "No page is known to have moved. Migration is recorded on GPUs with XNACK on (HSA_XNACK=1) and a kernel whose driver reports it (SMI events).";
  new Chart("residency", {
    height: () => Math.max(seriesShown().length * SERIES_ROW, 4), draw: drawSeries, pick: pickSeries, say: saySeries,
    choose: ({ series }) => { const found = bar(series.address, series.pid); if (found) select({ bar: found.id }); },
    items: () => seriesShown().map((series) => ({ series, ns: model.duration, start: 0, end: model.duration })),
  });
  byId("residency-canvas").hidden = !report.residency.length;
  byId("residency-legend").append(...report.residency.length ? [["on the GPU, as reported by the driver", "--coarse"], ["on the host, by its page table", "--fine"], ["the allocation", "--stripe"]].map(([name, fill]) => legendItem(name, fill)) : []);
  byId("residency-note").textContent = report.residency.length ? "Each row is an allocation over time." :
    "Page locations were not recorded. \u2018hipgrain record --residency MS\u2019 samples them; moves are recorded with XNACK on (HSA_XNACK=1).";
  table("moves", [["where", rowPlace], ["call", (m) => m.api ?? "other memory in the same blocks"], ["kernel, or when the host faulted", cause],
    ["to the GPU", (m) => total(m.to_device), bytes], ["by GPU faults", (m) => m.to_device.gpu_fault, bytes], ["prefetched", (m) => m.to_device.prefetch, bytes],
    ["to the host", (m) => total(m.to_host), bytes], ["by host faults", (m) => m.to_host.cpu_fault, bytes], ["evicted", (m) => m.to_host.eviction, bytes]], report.migration, { empty: unmoved });
  table("uses", [["where", rowPlace], ["call", (m) => m.api ?? ""], ["kernel, or when the host faulted", cause], ["moved", (m) => total(m.to_device) + total(m.to_host), bytes],
    ["certainly used", (m) => m.use.at_least, bytes], ["had been there before", (m) => m.use.again, bytes], ["not used", (m) => m.use.unused, bytes],
    ["only written", (m) => m.use.only_written, bytes], ["moved back unchanged", (m) => m.use.unchanged, bytes], ["of unknown use", (m) => m.use.not_known, bytes]],
    report.migration.filter((m) => total(m.use)), { empty: unmoved });
  if (report.what_if) {
    byId("whatif-title").textContent = `With XNACK ${report.what_if.xnack ? "on" : "off"} (HSA_XNACK=${report.what_if.xnack})`;
    table("whatif", [["what", (r) => r.outcome === "cannot_tell" ? "unknown" : r.outcome.replace("_", " ")], ["where", rowPlace], ["call", (r) => r.api ?? ""], ["kernel", (r) => (r.kernel ?? "") + (r.several_kernels ? " and others" : "")],
      ["now", (r) => r.now], ["then", (r) => r.then], ["why", (r) => r.reason], ["bytes", (r) => r.bytes, bytes], ["launches", (r) => r.launches, String]], report.what_if.rows, { empty: "Nothing would change." });
    byId("whatif").after(...report.what_if.limits.map((limit) => element("p", { className: "note" }, limit)));
  } else {
    table("whatif", [], [], { empty: "Not requested: \u2018hipgrain report --format=html --access-if xnack=1\u2019 (or xnack=0) shows what would change." });
  }
  table("fixes", [["fix", (f) => f.fix], ["outcome", (f) => f.outcome], ["call", (f) => f.api ?? ""], ["where", rowPlace], ["kernel", (f) => f.kernel ?? ""],
    ["count", (f) => f.count, String], ["bytes", (f) => f.bytes, bytes]], report.fixes, { empty: "Not requested: \u2018hipgrain run --fix=coarse-managed,prefetch,align\u2019 tries fixes in the running program." });
}
