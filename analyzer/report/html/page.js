/* SPDX-License-Identifier: Apache-2.0 */
/* Everything shown comes out of the data as text: nothing in it is ever taken for markup. */
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const report = data.report, overview = data.overview;
const byId = (id) => document.getElementById(id);
const TABS = ["findings", "map", "timeline", "tables", "sizes", "residency"];
const SEVERITIES = ["error", "warning", "advice", "note"];
const ROWS_SHOWN = 500;
const OPEN_AT_FIRST = 3;
const AXIS_HEIGHT = 18;

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in node) node[key] = value; else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

function bytes(value) {
  if (value === null) return "?";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (value >= 1024 && unit + 1 < units.length) { value /= 1024; unit++; }
  return (unit ? value.toFixed(2) : String(value)) + " " + units[unit];
}

function time(ns) {
  if (ns < 1e3) return ns + " ns";
  if (ns < 1e6) return (ns / 1e3).toFixed(2) + " \u00b5s";
  if (ns < 1e9) return (ns / 1e6).toFixed(2) + " ms";
  return (ns / 1e9).toFixed(3) + " s";
}

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* ---- state: in the address, so that a view can be passed on ---- */

const state = { tab: "findings", query: "", rule: "", hide: "", off: "", theme: "" };

function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(state)) state[key] = given.get(key) ?? "";
  if (!TABS.includes(state.tab)) state.tab = TABS[0];
}

function writeState() {
  const kept = Object.entries(state).filter(([, value]) => value !== "");
  history.replaceState(null, "", "#" + new URLSearchParams(kept));
}

/* ---- findings ---- */

function frames(stack) {
  return (stack || []).map((f) =>
    (f.file ? `${f.file}:${f.line}` : `${f.module ?? "?"}+${f.offset}`) + (f.function ? ` (${f.function})` : "")
  ).join("\n");
}

const sideOf = (place) => place < 0 ? "the host" : `device ${place}`;
const callOf = (call) => call ? (call.api ?? "a call") + (call.file ? ` at ${call.file}:${call.line}` : "") : "";
const CAUSES = { prefetch: "prefetched", gpu_fault: "GPU faults", cpu_fault: "host faults", eviction: "because GPU memory was full" };

/* Advice and prefetches of memory, and how its pages moved, in the order of time. */
function historyOf(history) {
  if (!history) return null;
  const calls = history.calls.map((c) => [c.ns, `${callOf(c.call)}: ${c.number == null ? "prefetch" : c.advice ?? "advice " + c.number}, ${bytes(c.size)} from offset ${c.offset} on, ${sideOf(c.target)}`]);
  const moves = history.moves.map((m) => [m.ns, `${bytes(m.bytes)} moved to ${sideOf(m.to)} (${CAUSES[m.cause]})` +
    (m.kernel ? `, for ${m.kernel}` : "") + (m.after ? `, after ${callOf(m.after)}` : "")]);
  const lines = [...calls, ...moves].sort((a, b) => a[0] - b[0]).map(([ns, text]) => `${time(ns)}: ${text}`);
  if (history.left_out) lines.push(`${history.left_out} more`);
  return lines.join("\n");
}

/* What a finding unites: each instruction, the pages and who advised them, memory that it may be. */
const range = (least, most) => least === most ? `${least}` : `${least} to ${most}`;
const instructionOf = (i) => `${i.instruction} at +0x${i.code_offset.toString(16)}` + (i.function ? ` of ${i.function}` : "") + (i.file ? ` (${i.file}:${i.line})` : "");
const pageOf = (p) => `offsets ${p.offset} to ${p.offset + p.size - 1}: ${p.granularity}` +
  (p.advice ? `, by ${p.advice.call} of ${p.advice.size} bytes at ${p.advice.address}, ${frames(p.advice.stack.slice(0, 1))}` : "");
const candidateOf = (c) => (c.count > 1 ? `${c.count} allocations of ` : "") + `${range(c.least_size, c.most_size)} bytes from ${c.api}${c.symbol ? " " + c.symbol : ""}, ` +
  `${c.mixed ? "in part " : ""}${c.granularity}${c.kernarg_offset == null ? "" : `, passed at byte ${c.kernarg_offset} of the arguments`}\n${frames(c.stack)}`;

function rowsOf(f) {
  const memory = f.allocation;
  return [
    ["what", f.message], ["kernel", f.kernel],
    [f.instructions && f.instructions.length > 1 ? "instructions" : "instruction", f.instructions && f.instructions.map(instructionOf).join("\n")],
    ["argument", f.argument ?? (f.argument_index == null ? null : `number ${f.argument_index}`)],
    ["memory", memory && `${memory.size} bytes from ${memory.api}${memory.symbol ? " " + memory.symbol : ""} at ${memory.address}, offset ${range(memory.first_offset, memory.last_offset)}` +
      (memory.several ? ` (the first of several, ${range(memory.least_size, memory.most_size)} bytes)` : "")],
    ["granularity", memory && memory.granularity && `${memory.granularity}${memory.why ? ": " + memory.why : ""}`],
    ["pages", memory && memory.pages && memory.pages.map(pageOf).join("\n")],
    ["candidates", f.candidates && f.candidates.map(candidateOf).join("\n")],
    ["allocated", memory && frames(memory.stack)], ["freed", memory && frames(memory.free_stack)],
    ["launched", f.launches && frames(f.launches.stack)], ["launches", f.launches && f.launches.count + (f.launches.beside ? `; ${f.launches.beside} more used other pages of the memory` : "")],
    ["called", frames(f.call_stack)], ["call", f.api], ["history", historyOf(f.history)], ["occurrences", f.count],
    ["not proven", f.doubts], ["fix", f.fix], ["process", f.pid], ["sources", f.sources.join(", ")],
  ].filter(([, value]) => value != null && value !== "");
}

const haystacks = report.findings.map((f) => JSON.stringify(f).toLowerCase());

function showFindings() {
  const hidden = state.hide.split(",");
  const list = byId("list");
  let shown = 0, matching = 0;
  list.replaceChildren();
  report.findings.forEach((f, index) => {
    if (state.rule && f.rule !== state.rule) return;
    if (hidden.includes(f.severity)) return;
    if (state.query && !haystacks[index].includes(state.query.toLowerCase())) return;
    matching++;
    if (shown === ROWS_SHOWN) return;
    shown++;
    const rows = element("dl");
    const details = element("details", { "data-severity": f.severity, "data-rule": f.rule },
      element("summary", {}, element("span", { className: "id" }, f.rule), f.message ?? f.slug,
        element("span", { className: "grade" }, `${f.severity}, ${f.confidence}`)), rows);
    details.addEventListener("toggle", () => {
      if (rows.childElementCount) return;
      for (const [name, value] of rowsOf(f)) {
        rows.append(element("dt", {}, name), element("dd", {}, String(value)));
      }
    });
    details.open = report.findings.length <= OPEN_AT_FIRST;
    list.append(details);
  });
  if (matching > shown) list.append(element("p", { className: "more" }, `${matching - shown} more: narrow the search`));
  byId("shown").textContent = `${matching} of ${report.findings.length}`;
}

function startFindings() {
  const rule = byId("rule"), severities = byId("severities");
  const names = new Map(report.findings.map((f) => [f.rule, f.slug]));
  for (const [id, slug] of [...names].sort()) rule.append(element("option", { value: id }, `${id} ${slug}`));
  for (const severity of SEVERITIES) {
    const box = element("input", { type: "checkbox", checked: !state.hide.split(",").includes(severity), name: severity });
    box.addEventListener("change", () => {
      state.hide = [...severities.querySelectorAll("input:not(:checked)")].map((b) => b.name).join(",");
      update();
    });
    severities.append(element("label", {}, box, " " + severity));
  }
  rule.value = state.rule;
  byId("query").value = state.query;
  rule.addEventListener("change", () => { state.rule = rule.value; update(); });
  byId("query").addEventListener("input", (event) => { state.query = event.target.value; update(); });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  for (const line of report.end?.text || []) byId("end").append(element("p", {}, line));
  for (const [title, lines] of [["Not analysed", report.limits], ["Notes", report.notes]]) {
    if (lines.length) byId("limits").append(element("h2", {}, title), element("ul", {}, ...lines.map((l) => element("li", {}, l))));
  }
  const cost = report.recording_cost;
  if (cost) {
    const share = cost.share === null ? "" : `; about ${(100 * cost.share).toFixed(1)} % of the programs' CPU time (estimated from ${cost.timed_calls} of ${cost.calls} calls)`;
    byId("limits").append(element("p", {}, `Recording cost: ${cost.events} events, ${(cost.bytes / 1e6).toFixed(1)} MB${share}.`));
  }
  if (!report.findings.length) byId("list").append(element("p", {}, report.complete ? "Nothing was found." : "No findings, but not everything was analysed: see the list below."));
}

function stepFinding(by) {
  const all = [...byId("list").querySelectorAll("details > summary")];
  const at = all.indexOf(document.activeElement);
  all[Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
}

/* ---- a canvas that zooms: time to the right, something of ours downwards ---- */

class Chart {
  constructor(id, draw, describe) {
    this.canvas = byId(id + "-canvas");
    this.hover = byId(id + "-hover");
    this.draw = draw;
    this.describe = describe;
    this.reset();
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.canvas.getBoundingClientRect();
      this.zoom(event.deltaY < 0 ? 0.8 : 1.25, (event.clientX - box.left) / box.width, (event.clientY - box.top) / (box.height - AXIS_HEIGHT));
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => { this.drag = [event.clientX, event.clientY]; });
    this.canvas.addEventListener("pointerup", () => { this.drag = null; });
    this.canvas.addEventListener("pointerleave", () => { this.drag = null; });
    this.canvas.addEventListener("pointermove", (event) => {
      const box = this.canvas.getBoundingClientRect();
      if (this.drag) {
        this.move((this.drag[0] - event.clientX) / box.width, (this.drag[1] - event.clientY) / box.height);
        this.drag = [event.clientX, event.clientY];
      }
      this.hover.textContent = this.describe(this, (event.clientX - box.left) / box.width, (event.clientY - box.top) / (box.height - AXIS_HEIGHT)) ?? "";
    });
    this.canvas.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
      if (event.key in steps) this.move(...steps[event.key]);
      else if (event.key === "+" || event.key === "=") this.zoom(0.8, 0.5, 0.5);
      else if (event.key === "-") this.zoom(1.25, 0.5, 0.5);
      else if (event.key === "0") { this.reset(); this.paint(); }
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
  reset() { this.x0 = 0; this.x1 = 1; this.y0 = 0; this.y1 = 1; }
  zoom(by, x, y) {
    const ax = this.x0 + x * (this.x1 - this.x0), ay = this.y0 + y * (this.y1 - this.y0);
    const width = Math.min(Math.max((this.x1 - this.x0) * by, 1e-9), 1), height = Math.min(Math.max((this.y1 - this.y0) * by, 1e-6), 1);
    this.x0 = ax - x * width; this.x1 = this.x0 + width; this.y0 = ay - y * height; this.y1 = this.y0 + height;
    this.move(0, 0);
  }
  move(dx, dy) {
    const width = this.x1 - this.x0, height = this.y1 - this.y0;
    this.x0 = Math.min(Math.max(this.x0 + dx * width, 0), 1 - width); this.x1 = this.x0 + width;
    this.y0 = Math.min(Math.max(this.y0 + dy * height, 0), 1 - height); this.y1 = this.y0 + height;
    this.paint();
  }
  /* Fractions of the whole to pixels, and back. */
  px(x) { return (x - this.x0) / (this.x1 - this.x0) * this.width; }
  py(y) { return (y - this.y0) / (this.y1 - this.y0) * this.height; }
  paint() {
    const scale = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth; this.height = this.canvas.clientHeight - AXIS_HEIGHT;
    if (!this.width) return;
    this.canvas.width = this.width * scale; this.canvas.height = (this.height + AXIS_HEIGHT) * scale;
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    context.save();
    context.beginPath();
    context.rect(0, 0, this.width, this.height);
    context.clip();
    this.canvas.dataset.drawn = this.draw(this, context);
    context.restore();
    context.fillStyle = style("--soft");
    context.font = "11px system-ui";
    context.textBaseline = "bottom";
    for (let i = 0; i <= 4; i++) {
      const text = time(Math.round((this.x0 + (this.x1 - this.x0) * i / 4) * overview.duration_ns));
      context.textAlign = i === 0 ? "left" : i === 4 ? "right" : "center";
      context.fillText(text, this.width * i / 4, this.height + AXIS_HEIGHT - 2);
    }
    context.textAlign = "left";
  }
}

const KINDS = [["fine-grained", "--fine", "fine-grained"], ["coarse-grained", "--coarse", "coarse-grained"],
  ["inaccessible to the GPU", "--closed", "inaccessible"], ["unknown", "--unknown", "unknown"]];

function legend(id, rows) {
  byId(id).append(...rows.map(([name, color]) => {
    const box = element("i");
    box.style.background = `var(${color})`;
    return element("label", {}, box, name);
  }));
}

/* ---- placement map ---- */

/* Stretches of addresses that are used at some time, one above the other, process by process. */
function layout(bars) {
  const sorted = [...bars].sort((a, b) => a.site.pid - b.site.pid || a.address - b.address);
  const segments = [];
  let total = 0;
  for (const bar of sorted) {
    const last = segments[segments.length - 1];
    const end = bar.address + Math.max(bar.size, 1);
    if (last && last.pid === bar.site.pid && bar.address <= last.end + 65536) last.end = Math.max(last.end, end);
    else segments.push({ pid: bar.site.pid, start: bar.address, end });
  }
  for (const segment of segments) { segment.at = total; total += segment.end - segment.start; }
  const gap = total * 0.004;
  segments.forEach((segment, index) => { segment.at += gap * index; });
  total += gap * Math.max(segments.length - 1, 0);
  let index = 0;
  for (const bar of sorted) {
    while (bar.site.pid !== segments[index].pid || bar.address >= segments[index].end) index++;
    bar.y = 1 - (segments[index].at + bar.address - segments[index].start + Math.max(bar.size, 1)) / total;
    bar.height = Math.max(bar.size, 1) / total;
  }
  return sorted;
}

function startMap() {
  const duration = Math.max(overview.duration_ns, 1);
  const all = overview.bars.map(([site, address, size, start, end]) => ({ site: overview.sites[site], address, size, start, end }));
  const kindOf = (bar) => KINDS.find(([, , granularity]) => granularity === bar.site.granularity) ?? KINDS[3];
  let bars = [];
  const choose = () => {
    const off = state.off.split(",");
    bars = layout(all.filter((bar) => !off.includes(kindOf(bar)[2])));
  };
  const launches = overview.lanes.filter((lane) => lane.kind === "launch").flatMap((lane) => lane.spans);
  const copies = overview.lanes.filter((lane) => lane.kind === "copy").flatMap((lane) => lane.spans);
  const chart = new Chart("map", (c, context) => {
    let drawn = 0;
    context.clearRect(0, 0, c.width, c.height);
    for (const bar of bars) {
      const x = c.px(bar.start / duration), right = c.px((bar.end ?? duration) / duration);
      const y = c.py(bar.y), height = Math.max(c.py(bar.y + bar.height) - y, 1);
      if (right < 0 || x > c.width || y > c.height || y + height < 0) continue;
      drawn++;
      context.fillStyle = style.cache[kindOf(bar)[1]];
      context.fillRect(x, y, Math.max(right - x, 1), Math.max(height - (height > 4 ? 1 : 0), 1));
    }
    context.globalAlpha = 0.35;
    for (const [spans, color] of [[copies, "--mixed"], [launches, "--fore"]]) {
      context.fillStyle = style.cache[color];
      let last = -1;
      for (const [start] of spans) {
        const x = Math.round(c.px(start / duration));
        if (x < 0 || x > c.width || x === last) continue;
        last = x;
        context.fillRect(x, 0, 1, c.height);
      }
    }
    context.globalAlpha = 1;
    return drawn;
  }, (c, fx, fy) => {
    const t = (c.x0 + fx * (c.x1 - c.x0)) * duration, y = c.y0 + fy * (c.y1 - c.y0);
    const slack = 2 / c.height * (c.y1 - c.y0);
    const bar = bars.find((b) => t >= b.start && t <= (b.end ?? duration) && y >= b.y - slack && y <= b.y + b.height + slack);
    return bar && `${bytes(bar.size)} at 0x${bar.address.toString(16)}: ${bar.site.api}, ${bar.site.granularity}, ${bar.site.location}; ` +
      `process ${bar.site.pid}, from ${time(bar.start)} ${bar.end == null ? "to the end" : "to " + time(bar.end)}; ${bar.site.place}`;
  });
  legend("map-legend", KINDS);
  [...byId("map-legend").children].forEach((label, index) => {
    const box = element("input", { type: "checkbox", checked: !state.off.split(",").includes(KINDS[index][2]), name: KINDS[index][2] });
    box.addEventListener("change", () => {
      state.off = [...byId("map-legend").querySelectorAll("input:not(:checked)")].map((b) => b.name).join(",");
      choose();
      chart.reset();
      update();
    });
    label.prepend(box, " ");
  });
  legend("map-legend", [["launches", "--fore"], ["copies", "--mixed"]]);
  choose();
  byId("map-note").textContent = !all.length ? "No allocation was recorded." :
    overview.bars_left_out ? `${overview.bars_left_out} allocations are not shown, most of them below ${bytes(overview.bar_minimum)}; the tables count them.` : "";
  return chart;
}

/* ---- timeline ---- */

const SPAN_COLORS = { launch: "--fore", copy: "--mixed", fill: "--note", prefetch: "--coarse", sync: "--warning" };

function startTimeline() {
  const duration = Math.max(overview.duration_ns, 1);
  const rows = new Map();
  for (const lane of overview.lanes) {
    const name = `${lane.pid}: ` + (lane.device < 0 ? `thread ${lane.stream} waits` : `device ${lane.device}, ${lane.stream === "0" ? "default stream" : "stream 0x" + BigInt(lane.stream).toString(16)}`);
    if (!rows.has(name)) rows.set(name, []);
    rows.get(name).push(lane);
  }
  const names = [...rows.keys()];
  const chart = new Chart("timeline", (c, context) => {
    let drawn = 0;
    context.clearRect(0, 0, c.width, c.height);
    context.font = "11px system-ui";
    context.textBaseline = "top";
    names.forEach((name, row) => {
      const top = c.py(row / names.length), height = c.py((row + 1) / names.length) - top;
      if (top > c.height || top + height < 0) return;
      const lanes = rows.get(name), part = Math.max((height - 15) / lanes.length, 1);
      lanes.forEach((lane, index) => {
        context.fillStyle = style.cache[SPAN_COLORS[lane.kind]];
        let last = -Infinity;
        for (const [start, end] of lane.spans) {
          const x = c.px(start / duration), right = Math.max(c.px(end / duration), x + 1);
          if (right < 0 || x > c.width || right <= last) continue;
          context.fillRect(x, top + 14 + index * part, right - x, Math.max(part - 1, 1));
          last = right;
          drawn++;
        }
      });
      context.fillStyle = style.cache["--soft"];
      context.fillText(name, 3, top + 1);
    });
    return drawn;
  }, (c, fx, fy) => {
    const t = (c.x0 + fx * (c.x1 - c.x0)) * duration, slack = 3 / c.width * (c.x1 - c.x0) * duration;
    const lanes = rows.get(names[Math.floor((c.y0 + fy * (c.y1 - c.y0)) * names.length)]) ?? [];
    for (const lane of lanes) {
      const span = lane.spans.find(([start, end]) => t >= start - slack && t <= end + slack);
      if (span) {
        const [start, end, count, moved, name] = span;
        return `${lane.kind} ${name < 0 ? "(several)" : overview.names[name]}: ${count} call${count === 1 ? "" : "s"}` +
          `${moved ? ", " + bytes(moved) : ""}, ${time(start)} to ${time(end)}`;
      }
    }
    return null;
  });
  legend("timeline-legend", Object.entries(SPAN_COLORS));
  byId("timeline-note").textContent = !names.length ? "No call was recorded." :
    overview.merge_gap_ns ? `Calls less than ${time(overview.merge_gap_ns)} apart are drawn as one.` : "";
  return chart;
}

/* ---- residency ---- */

const placeOf = (row) => row.file ? `${row.file}:${row.line}` : "?";

/* The latest point at or before a time, in order of time. */
function latest(points, ns) {
  let low = 0, high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle].ns <= ns) low = middle + 1; else high = middle;
  }
  return points[low - 1];
}

function startResidency() {
  const duration = Math.max(overview.duration_ns, 1), all = report.residency;
  const rowOf = (index) => [index / all.length, 0.8 / all.length];
  const stretch = (points, index) => [points[index].ns / duration, (points[index + 1]?.ns ?? duration) / duration];
  const chart = new Chart("residency", (c, context) => {
    let drawn = 0;
    context.clearRect(0, 0, c.width, c.height);
    all.forEach((series, row) => {
      const [y, height] = rowOf(row), size = Math.max(series.size, 1);
      const top = c.py(y), bottom = c.py(y + height);
      if (bottom < 0 || top > c.height) return;
      const fill = (points, index, share, color) => {
        const [from, to] = stretch(points, index), x = c.px(from), right = c.px(to);
        if (right < 0 || x > c.width || !(share > 0)) return;
        drawn++;
        context.fillStyle = style.cache[color];
        const tall = Math.max((bottom - top) * Math.min(share, 1), 1);
        context.fillRect(x, bottom - tall, Math.max(right - x, 1), tall);
      };
      context.fillStyle = style.cache["--soft"];
      context.fillRect(c.px(0), top, c.px(1) - c.px(0), bottom - top);
      series.moves.forEach((point, i) => fill(series.moves, i, point.on_device / size, "--coarse"));
      context.globalAlpha = 0.5;
      series.samples.forEach((point, i) => fill(series.samples, i, point.looked ? point.on_host / point.looked : 0, "--fine"));
      context.globalAlpha = 1;
    });
    return drawn;
  }, (c, fx, fy) => {
    const ns = (c.x0 + fx * (c.x1 - c.x0)) * duration, y = c.y0 + fy * (c.y1 - c.y0);
    const series = all[Math.floor(y * all.length)];
    if (!series) return null;
    const move = latest(series.moves, ns), sample = latest(series.samples, ns);
    return `${bytes(series.size)} at ${series.address}: ${series.api}, process ${series.pid}, ${placeOf(series)}; at ${time(Math.round(ns))}: ` +
      (move ? `${bytes(move.on_device)} on the GPU` : "location on GPUs unknown") +
      (sample ? `, ${bytes(sample.on_host)} of ${bytes(sample.looked)} sampled on the host` : ", not sampled on the host");
  });
  legend("residency-legend", [["on the GPU, as reported by the driver", "--coarse"], ["on the host, by its page table", "--fine"], ["the allocation", "--soft"]]);
  byId("residency-note").textContent = all.length ? "" : "Page locations were not recorded.";
  const total = (ways) => Object.values(ways).reduce((a, b) => a + b, 0);
  const cause = (m) => m.kernel ?? (m.phase ? (m.phase.within ? "during " : "after ") + callOf(m.phase.after) : "");
  table("moves", [["where", placeOf], ["call", (m) => m.api ?? "other memory in the same blocks"], ["kernel, or when the host faulted", cause],
    ["to the GPU", (m) => total(m.to_device), bytes], ["by GPU faults", (m) => m.to_device.gpu_fault, bytes], ["prefetched", (m) => m.to_device.prefetch, bytes],
    ["to the host", (m) => total(m.to_host), bytes], ["by host faults", (m) => m.to_host.cpu_fault, bytes], ["evicted", (m) => m.to_host.eviction, bytes]], [...report.migration]);
  table("uses", [["where", placeOf], ["call", (m) => m.api ?? ""], ["kernel, or when the host faulted", cause], ["moved", (m) => total(m.to_device) + total(m.to_host), bytes],
    ["certainly used", (m) => m.use.at_least, bytes], ["had been there before", (m) => m.use.again, bytes], ["not used", (m) => m.use.unused, bytes],
    ["only written", (m) => m.use.only_written, bytes], ["moved back unchanged", (m) => m.use.unchanged, bytes], ["of unknown use", (m) => m.use.not_known, bytes]],
    report.migration.filter((m) => total(m.use)));
  if (report.what_if) {
    byId("whatif-title").textContent = `With XNACK ${report.what_if.xnack ? "on" : "off"} (HSA_XNACK=${report.what_if.xnack})`;
    table("whatif", [["what", (r) => r.outcome === "cannot_tell" ? "unknown" : r.outcome.replace("_", " ")], ["where", placeOf], ["call", (r) => r.api ?? ""], ["kernel", (r) => (r.kernel ?? "") + (r.several_kernels ? " and others" : "")],
      ["now", (r) => r.now], ["then", (r) => r.then], ["why", (r) => r.reason], ["bytes", (r) => r.bytes, bytes], ["launches", (r) => r.launches, String]], [...report.what_if.rows]);
    byId("whatif").append(...report.what_if.limits.map((limit) => element("p", {}, limit)));
  }
  table("fixes", [["fix", (f) => f.fix], ["outcome", (f) => f.outcome], ["call", (f) => f.api ?? ""], ["where", placeOf], ["kernel", (f) => f.kernel ?? ""],
    ["count", (f) => f.count, String], ["bytes", (f) => f.bytes, bytes]], [...report.fixes]);
  return chart;
}

/* ---- tables and histograms ---- */

/* columns: [title, value of a row, format]; a number sorts downwards first. */
function table(id, columns, rows) {
  const box = byId(id);
  let sorted = null, down = true;
  const paint = () => {
    const head = element("tr"), body = element("tbody");
    columns.forEach(([title, , format], index) => {
      const button = element("button", { type: "button" }, title + (sorted === index ? (down ? " \u25be" : " \u25b4") : ""));
      button.addEventListener("click", () => {
        down = sorted === index ? !down : Boolean(format);
        sorted = index;
        const value = columns[index][1];
        rows.sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (down ? -1 : 1));
        paint();
      });
      head.append(element("th", { className: format ? "number" : "", scope: "col" }, button));
    });
    for (const row of rows.slice(0, ROWS_SHOWN)) {
      body.append(element("tr", {}, ...columns.map(([, value, format]) =>
        element("td", { className: format ? "number" : "place" }, String(format ? format(value(row)) : value(row))))));
    }
    box.replaceChildren(element("table", {}, element("thead", {}, head), body));
    if (rows.length > ROWS_SHOWN) box.append(element("p", { className: "more" }, `${rows.length - ROWS_SHOWN} more rows: 'hipgrain placement --format=csv' has all`));
    if (!rows.length) box.replaceChildren(element("p", {}, "Nothing was recorded."));
  };
  paint();
}

function startTables() {
  const sizes = (list) => [...list,
    ["high-water", (s) => s.peak, bytes], ["total", (s) => s.bytes, bytes], ["count", (s) => s.count, String],
    ["never freed", (s) => s.live_bytes, bytes], ["passed to kernels", (s) => s.used, bytes]];
  table("sites", sizes([["where", (s) => s.place], ["call", (s) => s.api], ["kind", (s) => `${s.granularity}, ${s.location}`]]), [...overview.sites]);
  const kinds = new Map();
  for (const s of overview.sites) {
    const key = `${s.api}\n${s.granularity}\n${s.location}`;
    const sum = kinds.get(key) ?? { api: s.api, granularity: s.granularity, location: s.location, bytes: 0, count: 0, live_bytes: 0, used: 0 };
    for (const name of ["bytes", "count", "live_bytes", "used"]) sum[name] = s[name] === null ? null : sum[name] + s[name];
    kinds.set(key, sum);
  }
  table("kinds", [["call", (s) => s.api], ["granularity", (s) => s.granularity], ["location", (s) => s.location], ["total", (s) => s.bytes, bytes],
    ["count", (s) => s.count, String], ["never freed", (s) => s.live_bytes, bytes], ["passed to kernels", (s) => s.used, bytes]], [...kinds.values()]);
  table("kernels", [["kernel", (k) => overview.names[k[1]]], ["process", (k) => k[0], String], ["launches", (k) => k[2], String], ["work-items", (k) => k[3], String]], [...overview.kernels]);
}

/* Class i counts values from 2^i to below 2^(i+1). */
function histogram(id, counts, format) {
  const most = Math.max(...counts, 1), box = byId(id);
  const first = counts.findIndex((n) => n), last = counts.findLastIndex((n) => n);
  if (first < 0) box.append(element("p", {}, "Nothing was recorded."));
  for (let i = first; first >= 0 && i <= last; i++) {
    const bar = element("div", {}, element("b", {}, String(counts[i])));
    bar.style.width = `${counts[i] / most * 80}%`;
    box.append(element("span", {}, `${format(i ? 2 ** i : 0)} \u2013`), bar);
  }
}

/* ---- all together ---- */

let charts = {};

function update() {
  const chosen = state.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  document.documentElement.dataset.theme = chosen;
  style.cache = {};
  for (const name of ["--fine", "--coarse", "--mixed", "--closed", "--unknown", "--fore", "--soft", "--advice", "--note", "--warning"]) style.cache[name] = style(name);
  for (const tab of TABS) byId(tab).hidden = tab !== state.tab;
  for (const button of document.querySelectorAll("[role=tab]")) button.setAttribute("aria-selected", String(button.dataset.tab === state.tab));
  showFindings();
  if (!report.findings.length) byId("list").replaceChildren(element("p", {}, report.complete ? "Nothing was found." : "No findings, but not everything was analysed: see the list below."));
  charts[state.tab]?.paint();
  writeState();
}

function start() {
  const counts = SEVERITIES.map((s) => [s, report.findings.filter((f) => f.severity === s).length]).filter(([, n]) => n);
  readState();
  byId("summary").textContent = report.processes.filter((p) => p.launches || report.processes.length === 1).map((p) => p.command || p.exe || `process ${p.pid}`).slice(0, 3).join("; ") +
    ": " + (counts.length ? counts.map(([s, n]) => `${n} ${s}${n > 1 && s !== "advice" ? "s" : ""}`).join(", ") : report.complete ? "nothing found" : "no finding") + (report.complete ? "" : "; not everything was analysed") +
    (report.recording.status === "incomplete" ? `; the recording is incomplete${report.recording.missing ? `: ${report.recording.missing} events are missing` : ""}` : "") +
    (report.recording.status === "unknown" ? "; unknown whether the recording is complete" : "");
  startFindings();
  charts = { map: startMap(), timeline: startTimeline(), residency: startResidency() };
  startTables();
  histogram("size-histogram", overview.size_histogram, bytes);
  histogram("life-histogram", overview.lifetime_histogram, time);
  histogram("transfer-histogram", overview.transfer_histogram, bytes);
  for (const button of document.querySelectorAll("[role=tab]")) button.addEventListener("click", () => { state.tab = button.dataset.tab; update(); });
  byId("theme").addEventListener("click", () => { state.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark"; update(); });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select")) { if (event.key === "Escape") event.target.blur(); return; }
    if (event.key >= "1" && event.key <= String(TABS.length)) { state.tab = TABS[event.key - 1]; update(); charts[state.tab]?.canvas.focus(); }
    else if (event.key === "/") { state.tab = TABS[0]; update(); byId("query").focus(); }
    else if (event.key === "j") stepFinding(1);
    else if (event.key === "k") stepFinding(-1);
    else return;
    event.preventDefault();
  });
  addEventListener("resize", () => charts[state.tab]?.paint());
  addEventListener("hashchange", () => { readState(); byId("query").value = state.query; byId("rule").value = state.rule; update(); });
  update();
  document.documentElement.dataset.ready = "yes";
}

start();
