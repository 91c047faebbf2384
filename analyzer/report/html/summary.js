/* SPDX-License-Identifier: Apache-2.0 */
/* The view that opens first: the verdict, memory by kind, what costs most, and what was not seen. */
"use strict";
const COSTS_SHOWN = 8;
const LIMITS_SHOWN = 5;

/* What a person asks first, in a sentence, and the finding that answers it. */
function verdict() {
  const first = report.findings.find((f) => ["error", "warning"].includes(f.severity)), place = first && placeOfFinding(first);
  const more = report.findings.filter((f) => f !== first && f.severity === first?.severity).length;
  if (first) return [[first.kernel ? shortName(first.kernel) : "", place].filter(Boolean).join(" at ") + (first.kernel || place ? ": " : "") + titleOf(first) +
    ` (${first.rule}, ${first.severity}, ${first.confidence})` + (more ? `; and ${count(more, `more ${first.severity}`)}` : "") + ".", first];
  const rest = report.findings.length ? `No error and no warning; ${count(report.findings.length, "finding")} of less weight` : "Nothing was found";
  return [analysed && !fails ? `${rest} in what was recorded.` : `${rest}, but ${silence}: what follows says what was not seen.`, null];
}

/* Bytes of sites by granularity and kind, in the order of GRAINS. */
function peakKinds() {
  const sums = groupBy(model.sites.filter((s) => s.at_peak && shownProcess(s.process)), (s) => `${s.granularity}, ${s.kind}`);
  const rows = [...sums].map(([name, sites]) => ({ name, grain: grainOf({ site: sites[0] }), bytes: sites.reduce((a, s) => a + s.at_peak, 0) }));
  return rows.sort((a, b) => GRAINS.indexOf(a.grain) - GRAINS.indexOf(b.grain) || b.bytes - a.bytes);
}

function showPeak() {
  const rows = peakKinds(), all = rows.reduce((a, r) => a + r.bytes, 0), box = byId("peak");
  if (!all) { box.replaceChildren(element("p", { className: "note" }, emptyFor("No allocation was recorded."))); return; }
  box.replaceChildren(...rows.flatMap((r) => {
    const bar = element("div", {}, element("b", {}, bytes(r.bytes)));
    bar.style.setProperty("--share", `${55 * r.bytes / all}%`);
    bar.style.setProperty("--fill-color", `var(${r.grain[1]})`);
    return [element("span", {}, r.name), bar];
  }));
}

/* What begins and ends, in the order of time; at the same time what ends comes first. */
function aliveEvents() {
  if (alive.process === state.process) return alive.events;
  alive.process = state.process;
  alive.events = [];
  for (const bar of model.bars) {
    if (!drawnProcess(bar.site.process)) continue;
    const grain = GRAINS.indexOf(grainOf(bar));
    alive.events.push([bar.start, bar.size, grain]);
    if (bar.freed) alive.events.push([bar.end, -bar.size, grain]);
  }
  return alive.events.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}
const alive = { process: null, events: [] };

/* Bytes alive by granularity, a column for each two pixels: as they were when there were most. */
function aliveColumns(chart) {
  const wide = 2, columns = Math.max(Math.ceil(chart.width / wide), 1), now = GRAINS.map(() => 0), sums = GRAINS.map(() => new Float64Array(columns));
  const at = (ns) => Math.floor((ns - range.from) / (range.to - range.from) * columns), totals = new Float64Array(columns);
  let column = 0, total = 0;
  const keep = (i) => { if (total >= totals[i]) { totals[i] = total; sums.forEach((sum, g) => { sum[i] = now[g]; }); } };
  for (const [ns, size, grain] of aliveEvents()) {
    const next = at(ns);
    if (next >= columns) break;
    for (; column < next; column++) { keep(column); if (column + 1 < columns) keep(column + 1); }
    now[grain] += size;
    total += size;
    if (next >= 0) keep(column);
  }
  for (; column < columns; column++) { keep(column); if (column + 1 < columns) keep(column + 1); }
  return { wide, columns, sums };
}

function drawAlive(chart, context) {
  const { wide, columns, sums } = aliveColumns(chart), total = (i) => sums.reduce((a, sum) => a + sum[i], 0);
  let most = 0;
  for (let i = 0; i < columns; i++) most = Math.max(most, total(i));
  chart.columns = { wide, columns, sums };
  for (let i = 0; i < columns && most; i++) {
    let y = AXIS + chart.tall;
    sums.forEach((sum, g) => {
      const tall = sum[i] / most * (chart.tall - 4);
      context.fillStyle = color(GRAINS[g][1]);
      context.fillRect(chart.gutter + i * wide, y - tall, wide, tall);
      y -= tall;
    });
  }
  chart.label(context, `at most ${bytes(Math.round(most))}`, AXIS + 10);
  chart.label(context, "bytes alive", AXIS + 24, true);
  return most ? columns : 0;
}

function sayAlive({ column, chart }) {
  const { sums } = chart.columns;
  return `${time(Math.round(chart.ns(chart.gutter + column * chart.columns.wide)))}: ` +
    (GRAINS.map(([name], g) => [name, Math.round(sums[g][column])]).filter(([, n]) => n > 0).map(([name, n]) => `${name} ${bytes(n)}`).join(", ") || "no memory of the list is alive");
}

/* Rows of what takes most: [what, how much, why it is listed, action]. */
function costs() {
  const rows = [], largest = (list, of) => list.filter((x) => of(x) > 0).sort((a, b) => of(b) - of(a)).slice(0, 3);
  const sumBy = (list, key, of) => [...groupBy(list, key)].map(([name, all]) => ({ name, all, sum: all.reduce((a, x) => a + of(x), 0) }));
  for (const f of largest([...report.findings], (f) => f.worth?.ns ?? 0))
    rows.push([`${f.rule}: ${titleOf(f)}`, `${f.worth.by === "measured" ? "at most" : "at least"} ${time(f.worth.ns)}`, "a fix could save", () => select({ finding: identity(f) })]);
  for (const k of largest([...report.gpu_times?.kernels ?? []], (k) => k.ns)) {
    const kernel = model.kernels.find((m) => m.name === k.kernel_symbol) ?? { name: k.kernel_symbol };
    rows.push([shortName(kernel.name), time(k.ns), `measured, ${count(k.dispatches, "dispatch", "dispatches")}`, () => select({ kernel: kernel.name })]);
  }
  const shown = (x) => shownProcess(x.process);
  if (!report.gpu_times) for (const k of largest(sumBy(model.kernels.filter(shown), (k) => k.name, (k) => k.launches), (k) => k.sum))
    rows.push([shortName(k.name), count(k.sum, "launch", "launches"), "most launches", () => select({ kernel: k.name })]);
  const grouped = sumBy(model.sites.filter((s) => shown(s) && s.granularity !== "inaccessible"), (s) => `${s.api} at ${fileName(placeText(s))}`, (s) => s.at_peak);
  for (const g of largest(grouped, (g) => g.sum)) rows.push([g.name, bytes(g.sum), `${g.all[0].granularity}, at the peak`, () => select({ site: g.all[0].id })]);
  const copied = sumBy(model.lanes.filter((l) => l.kind === "copy" && shown(l)).flatMap((l) => l.spans.filter((s) => s.name)), (s) => s.name, (s) => s.bytes);
  for (const c of largest(copied, (c) => c.sum).slice(0, 1)) rows.push([c.name, bytes(c.sum), "most bytes copied", () => showSpans(c.all)]);
  const moved = model.moves.filter(shown).reduce((a, m) => a + m.bytes, 0);
  if (moved) rows.push(["migrated pages", bytes(moved), "moved between host and GPU", () => show("residency")]);
  return rows.slice(0, COSTS_SHOWN);
}

function showCosts() {
  const rows = costs().map(([what, amount, why, action]) => element("tr", {}, element("td", { className: "place" }, button(what, { className: "link", title: what }, action)),
    element("td", { className: "number" }, amount), element("td", {}, why)));
  const times = report.gpu_times ? "" : element("p", { className: "note" }, "Times of kernels were not measured: \u2018hipgrain record --gpu-time\u2019 records them, \u2018hipgrain report --with=FILE\u2019 adds those of rocprofv3.");
  byId("costs").replaceChildren(...rows.length ? [element("table", {}, element("tbody", {}, ...rows)), times] : [element("p", { className: "note" }, emptyFor("No launch, copy or memory of a GPU was recorded."))]);
}

function showUnseen() {
  const lines = [...report.limits];
  if (report.recording?.status === "incomplete") lines.unshift(`The recording is incomplete${report.recording.missing ? `: ${report.recording.missing} events are missing` : ""}.`);
  if (report.recording?.status === "unknown") lines.unshift("Whether the recording is complete is unknown.");
  if (model.leftOut) lines.push(`${model.leftOut} allocations are not drawn, most of them below ${bytes(model.leastBar)}; the tables count them.`);
  byId("unseen").replaceChildren(lines.length ? element("ul", {}, ...lines.slice(0, LIMITS_SHOWN).map((l) => element("li", {}, l))) : element("p", { className: "note" }, "Everything that was recorded was analysed."));
  if (lines.length > LIMITS_SHOWN) byId("unseen").append(element("p", { className: "note" }, `${lines.length - LIMITS_SHOWN} more: below the list of findings.`));
}

/* Views without anything to show have no tab, but a line that leads to them. */
const EMPTY = {
  time: () => !model.lanes.length && !model.bars.length && !model.ranges.length && !model.moves.length,
  stacks: () => !model.sites.length,
  tables: () => !model.sites.length && !model.kernels.length,
  residency: () => !report.residency.length && !report.migration.length && !report.fixes.length && !report.what_if && !model.moves.length,
  sizes: () => data.views.every((v) => !v || ["size_histogram", "lifetime_histogram", "transfer_histogram"].every((name) => v[name].every((n) => !n))),
};
const tabOf = (view) => byId(`tab-${view}`);

function foldTabs() {
  const line = byId("empty-views"), empty = VIEWS.filter((v) => EMPTY[v]?.());
  model.emptyViews = new Set(empty);
  line.hidden = !empty.length;
  line.append("Nothing was recorded for ", ...empty.flatMap((v, i) => [i ? ", " : "", button(tabOf(v).textContent, { className: "link" }, () => show(v))]), ".");
}

function paintSummary() {
  if (state.view !== "overview") return;
  const [text, finding] = verdict();
  byId("verdict").replaceChildren(finding ? button(text, { className: "link" }, () => select({ finding: identity(finding) })) : text);
  byId("verdict").dataset.severity = finding?.severity ?? "note";
  showPeak();
  showCosts();
  showUnseen();
}

function startSummary() {
  foldTabs();
  byId("alive-note").textContent = !model.bars.length ? "" : "Allocations of the map alone: at least \u2018hipgrain record --threshold\u2019 bytes, and those of HIP." +
    (data.views.length > 1 || model.several ? " At the peak: each process at its own." : "");
  return new Chart("alive", {
    height: () => 90, draw: drawAlive, say: sayAlive, choose: () => show("time"), items: () => [],
    pick: (chart, x) => chart.columns && x >= chart.gutter ? { chart, column: Math.min(Math.floor((x - chart.gutter) / chart.columns.wide), chart.columns.columns - 1) } : null,
  });
}
