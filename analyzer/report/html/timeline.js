/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of the program, calls by stream and waiting thread, and pages that moved, a row each. */
"use strict";
const KIND_COLORS = { range: "--range", launch: "--launch", copy: "--copy", fill: "--fill", prefetch: "--prefetch", sync: "--sync", gpu: "--launch", move: "--move" };
const KIND_NAMES = { range: "ranges of the program", launch: "launches", copy: "copies", fill: "fills", prefetch: "prefetches", sync: "waits", gpu: "measured", move: "migrations" };
const ROW = 20;
const timeline = { rows: [] };

function streamName(lane) {
  return lane.name ?? `GPU ${lane.device}, stream ${lane.stream}`;
}

/* Rows of the processes shown: ranges, of each stream its kinds, then what moved to each side. */
function timelineRows() {
  const rows = [], lanes = model.lanes.filter((l) => l.spans.length && drawnProcess(l.process));
  const order = Object.keys(KIND_COLORS);
  const before = (p) => model.several ? `${p.rank == null ? p.pid : "rank " + p.rank}: ` : "";
  for (const process of new Set(model.ranges.map((r) => r.lane.process))) if (shownProcess(process)) rows.push(...rangeRows(process, before(process)));
  lanes.sort((a, b) => a.process.id - b.process.id || (a.device < 0) - (b.device < 0) || a.device - b.device || (a.number ?? 0) - (b.number ?? 0) || (a.stream < b.stream ? -1 : a.stream > b.stream ? 1 : 0) || order.indexOf(a.kind) - order.indexOf(b.kind));
  for (const lane of lanes) rows.push({ kind: lane.kind, name: before(lane.process) + (lane.kind === "sync" || lane.kind === "gpu" ? "" : KIND_NAMES[lane.kind] + ", ") + streamName(lane), spans: lane.spans });
  for (const [, moves] of groupBy(model.moves.filter((m) => shownProcess(m.process)), (m) => `${m.process.id} ${m.to}`)) {
    const { process, to } = moves[0], lane = { kind: "move", process };
    const spans = moves.map((m) => ({ lane, start: m.start, end: m.end, count: 1, bytes: m.bytes, name: m.cause, done: 0, to: m.to_site, from: null, kernel: m.kernel }));
    rows.push({ kind: "move", name: before(process) + `migrations to ${to < 0 ? "the host" : "GPU " + to}`, spans: spans.sort((a, b) => a.start - b.start) });
  }
  return rows.sort((a, b) => a.spans[0].lane.process.id - b.spans[0].lane.process.id); /* stable: each process has its order */
}

function drawSpans(chart, context, row, top, height) {
  const fill = color(KIND_COLORS[row.kind]), spans = row.spans, first = firstAt(spans, range.from);
  let last = first;
  while (last < spans.length && spans[last].start <= range.to) last++;
  const selected = hasSelection();
  context.globalAlpha = selected ? 0.3 : 1;
  if (last - first > chart.width / 3) {
    density(chart, context, spans, first, top, height, fill);
  } else {
    for (let i = first; i < last; i++) drawSpan(chart, context, spans[i], top, height, fill, i + 1 < last ? chart.px(spans[i + 1].start) : Infinity);
  }
  context.globalAlpha = 1;
  const query = state.query.toLowerCase();
  if (selected || query) {
    const chosen = spans.slice(first, last).filter((s) => (selected && isSelectedSpan(s)) || (query && isFound(s, query)));
    if (chosen.length > chart.width / 3) {
      density(chart, context, chosen, 0, top, height, fill);
      context.fillStyle = color("--select");
      context.fillRect(Math.max(chart.px(chosen[0].start), chart.gutter), top + height, chart.px(chosen.at(-1).end) - Math.max(chart.px(chosen[0].start), chart.gutter), 2);
    } else {
      chosen.forEach((s, i) => drawSpan(chart, context, s, top, height, fill, i + 1 < chosen.length ? chart.px(chosen[i + 1].start) : Infinity, true));
    }
  }
  return last - first;
}

function drawSpan(chart, context, span, top, height, fill, next, outlined) {
  const x = chart.px(span.start), right = Math.max(chart.px(span.end), x + 2);
  if (span.done) { /* an upper bound: only as an outline, so that it is not taken for what was measured */
    const until = Math.min(chart.px(span.done), chart.gutter + chart.width), from = Math.max(right, chart.gutter);
    if (until - from > 2) {
      context.strokeStyle = fill;
      context.setLineDash([3, 3]);
      context.beginPath();
      context.moveTo(from, top + height / 2);
      context.lineTo(until, top + height / 2);
      context.moveTo(until - 0.5, top + 3);
      context.lineTo(until - 0.5, top + height - 3);
      context.stroke();
      context.setLineDash([]);
    }
  }
  if (right < chart.gutter) return right;
  const left = Math.max(x, chart.gutter);
  context.fillStyle = fill;
  context.fillRect(left, top, right - left, height);
  if (outlined) {
    context.strokeStyle = color("--select");
    context.lineWidth = 2;
    context.strokeRect(left - 1, top - 1, right - left + 2, height + 2);
    context.lineWidth = 1;
  }
  const room = Math.min(next, chart.gutter + chart.width) - right - 6, name = spanName(span);
  if (right - left > 60) {
    context.fillStyle = color("--on-span");
    context.fillText(fit(context, name, right - left - 6), left + 3, top + height / 2 + 0.5);
  } else if (room > 40) {
    context.fillStyle = color("--fore");
    const text = fit(context, name, room);
    context.fillStyle = color("--back");
    context.fillRect(right + 2, top + 2, context.measureText(text).width + 3, height - 4);
    context.fillStyle = color("--fore");
    context.fillText(text, right + 4, top + height / 2 + 0.5);
  }
  return right;
}

/* Whether the search finds a call, by its name or by the place of its memory. */
function isFound(span, query) {
  if (isFound.query !== query) { isFound.query = query; isFound.known = new Map(); }
  const key = `${span.name}\n${span.to?.id}\n${span.from?.id}`;
  if (!isFound.known.has(key)) isFound.known.set(key, [span.name, span.kernel, span.to && siteText(span.to), span.from && siteText(span.from)].some((t) => t?.toLowerCase().includes(query)));
  return isFound.known.get(key);
}
const siteText = (site) => site.text ??= `${site.api}\n${site.place}\n${site.stack.map(frameText).join("\n")}`.toLowerCase();

const spanName = (span) => span.lane.kind === "range" ? span.name : span.lane.kind === "move" ? `${bytes(span.bytes)}, ${CAUSES[span.name] ?? span.name}` : span.name == null ? `${span.count} calls` : shortName(span.name);

function saySpan(span) {
  if (span.mark) return `mark ${span.path}, at ${time(span.start)}`;
  if (span.lane.kind === "range") return `range ${span.path}: ${time(span.end - span.start)}, ${time(span.start)} to ${span.ended ? time(span.end) : "the end of the recording"}`;
  const what = span.lane.kind === "move" ? `${bytes(span.bytes)} moved (${CAUSES[span.name] ?? span.name})${span.kernel ? " for " + span.kernel : ""}` :
    `${span.lane.kind === "sync" ? "wait" : span.lane.kind} ${span.name ?? "(several)"}: ${count(span.count, "call")}${span.bytes ? ", " + bytes(span.bytes) : ""}`;
  const sides = span.from || span.to ? `; ${span.from ? "from " + siteName(span.from) : ""}${span.from && span.to ? " " : ""}${span.to ? "to " + siteName(span.to) : ""}` : "";
  return `${what}, ${time(span.start)} to ${time(span.end)}` + (span.done ? `; complete at ${time(span.done)} at the latest, the end of a wait (upper bound)` : "") + sides;
}
const siteName = (site) => `${site.api} at ${site.stack.length && userFrame(site.stack) ? placeText(site) : "?"}`;
const placeText = (site) => { const f = userFrame(site.stack); return f ? `${fileName(f.file)}:${f.line}` : site.place; };

/* A click on a launch selects its kernel, on another call its memory; on a range it shows its time. */
function chooseSpan(span) {
  const site = span.to ?? span.from;
  if (span.lane.kind === "range") zoomTo(span.start, span.end);
  if (span.lane.kind === "launch" && span.name) select({ kernel: span.name });
  else if (site) select({ site: site.id });
  else if (span.kernel) select({ kernel: span.kernel });
}

function pickSpan(chart, x, y) {
  const row = timeline.rows[Math.floor((y - AXIS) / ROW)];
  if (!row || x < chart.gutter || y < AXIS) return null;
  const slack = 4 / chart.width * (range.to - range.from), ns = chart.ns(x);
  for (let i = firstAt(row.spans, ns - slack); i < row.spans.length && row.spans[i].start <= ns + slack; i++)
    if (row.spans[i].end >= ns - slack) return row.spans[i];
  return null;
}

/* Their time, and the dock where it is shown. */
function showSpans(spans) {
  if (!spans.length) return;
  const from = spans.reduce((a, s) => Math.min(a, s.start), Infinity), to = spans.reduce((a, s) => Math.max(a, s.end, s.done), 0);
  show("time");
  zoomTo(from, to);
  byId("lanes").scrollIntoView({ block: "nearest" });
  scrollLanes(new Set(spans));
}

/* The first row with one of these is to be seen. */
function scrollLanes(spans) {
  const has = (r) => r.spans.some((s) => spans ? spans.has(s) : isSelectedSpan(s)), call = timeline.rows.findIndex((r) => r.kind !== "range" && has(r));
  const row = call < 0 ? timeline.rows.findIndex(has) : call, box = byId("lanes");
  const top = AXIS + row * ROW;
  if (row >= 0 && (top < box.scrollTop + AXIS || top + ROW > box.scrollTop + box.clientHeight)) box.scrollTop = top - 2 * ROW;
}

function startTimeline() {
  const used = Object.keys(KIND_COLORS).filter((kind) => kind === "move" ? model.moves.length : kind === "range" ? model.ranges.length : model.lanes.some((l) => l.kind === kind && l.spans.length));
  byId("timeline-legend").append(...used.map((kind) => legendItem(KIND_NAMES[kind], KIND_COLORS[kind])));
  if (model.lanes.some((l) => l.spans.some((s) => s.done))) byId("timeline-legend").append(element("span", {}, element("i", { className: "bound" }), "until here at the latest: end of the next wait (upper bound)"));
  byId("timeline-note").textContent = !model.lanes.length ? emptyFor("No call was recorded: run the program under \u2018hipgrain record\u2019, without a filter that leaves out launches and copies.") :
    "The times are those of the calls on the host. When a kernel ends is not recorded; a wait that follows on its stream bounds it." +
    (model.mergeGap ? ` Calls less than ${time(model.mergeGap)} apart are drawn as one.` : "") + (model.rangesLeftOut ? ` There are too many ranges and marks: ${model.rangesLeftOut} are left out.` : "") + (data.views.length > 1 ? " Each recording begins at 0." : "");
  byId("lanes").addEventListener("scroll", repaint);
  return new Chart("timeline", {
    height: () => {
      byId("timeline-canvas").dataset.rows = timeline.rows.length > 8 ? "many" : "few";
      return Math.max(timeline.rows.length * ROW, ROW);
    },
    draw: (chart, context) => timeline.rows.reduce((drawn, row, index) => {
      const top = AXIS + index * ROW, box = byId("lanes");
      if (top + ROW < box.scrollTop || top > box.scrollTop + box.clientHeight) return drawn; /* until it is scrolled to */
      if (index % 2) { context.fillStyle = color("--stripe"); context.fillRect(0, top, chart.gutter + chart.width, ROW); }
      const more = drawSpans(chart, context, row, top + 3, ROW - 6);
      context.fillStyle = color(index % 2 ? "--stripe-solid" : "--back");
      context.fillRect(0, top, chart.gutter, ROW);
      chart.label(context, row.name, top + ROW / 2, !row.spans.some(isSelectedSpan) && hasSelection());
      return drawn + more;
    }, 0),
    pick: pickSpan, say: saySpan, choose: chooseSpan,
    items: () => timeline.sorted ??= timeline.rows.flatMap((r) => r.spans).sort((a, b) => a.start - b.start),
  });
}

function legendItem(name, fill, pattern) {
  const box = element("i", { className: pattern ? `pattern-${pattern}` : "" });
  if (fill) box.style.setProperty("--fill-color", `var(${fill})`);
  return element("span", {}, box, name);
}
