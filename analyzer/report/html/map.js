/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The placement map: a bar for each allocation, time to the right, addresses upwards. Heights grow with the logarithm of the
 * size, so that small memory can be seen beside large; what is never used between is left out. Colour tells the granularity,
 * the pattern the kind.
 */
"use strict";
const GRAINS = [["fine-grained", "--fine", "fine-grained"], ["coarse-grained", "--coarse", "coarse-grained"],
  ["inaccessible to the GPU", "--closed", "inaccessible"], ["unknown", "--unknown", "unknown"]];
const PATTERNS = [["device memory", "device"], ["managed", "managed"], ["pinned", "pinned"], ["pageable", "pageable"], ["unknown kind", "unknown"]];
const LEAST_BAR = 3; /* pixels */
const DENSE = 800;   /* so many lower ones are drawn as what most of them are */
const STRIP = 16;    /* of launches and of copies, above the bars */
const map = { bars: [], low: 0, high: 1, strips: [], labels: [] };

const grainOf = (bar) => bar.site.grain ??= GRAINS.find(([, , granularity]) => granularity === bar.site.granularity) ?? GRAINS[3];
const endOf = (bar) => bar.address + Math.max(bar.size, 1);
const weight = (length) => 2 + Math.log2(1 + length / 4096);

/* Where each bar is: by the addresses at which some bar begins or ends, process by process. */
function layout(bars) {
  let total = 0;
  map.labels = [];
  for (const [, own] of groupBy(bars, (b) => b.site.process.id)) {
    const from = total, low = [...own].sort((a, b) => a.address - b.address), high = [...own].sort((a, b) => endOf(a) - endOf(b));
    for (let i = 0, k = 0, open = 0, last = NaN; k < high.length;) { /* from one beginning or end to the next */
      const begins = i < low.length && low[i].address < endOf(high[k]), at = begins ? low[i].address : endOf(high[k]);
      if (at > last) total += open ? weight(at - last) : at - last > 65536 ? 3 : 0.5;
      last = at;
      if (begins) { low[i++].low = total; open++; } else { high[k++].high = total; open--; }
    }
    map.labels.push({ process: own[0].site.process, from, to: total });
    total += 6;
  }
  for (const b of bars) { b.low /= total; b.high /= total; }
  for (const l of map.labels) { l.from /= total; l.to /= total; }
  return bars;
}

function chooseBars() {
  const off = state.off.split(",");
  map.sorted = null;
  map.bars = layout(model.bars.filter((b) => drawnProcess(b.site.process) && !off.includes(grainOf(b)[2])));
  map.bars.sort((a, b) => GRAINS.indexOf(grainOf(b)) - GRAINS.indexOf(grainOf(a)) || (a.site.kind < b.site.kind ? -1 : a.site.kind > b.site.kind ? 1 : 0)); /* what can be at fault on top */
  const calls = (kind) => model.lanes.filter((l) => kind.includes(l.kind) && drawnProcess(l.process)).flatMap((l) => l.spans).sort((a, b) => a.start - b.start);
  map.strips = [["launches", "--launch", calls(["launch"])], ["copies and fills", "--copy", calls(["copy", "fill"])]];
  [map.low, map.high] = [0, 1];
}

/* A tile of stripes or dots over a colour. */
function pattern(context, kind, fill) {
  const key = `${kind} ${fill}`;
  if (pattern.known.has(key)) return pattern.known.get(key);
  const tile = element("canvas", { width: 6, height: 6 }), draw = tile.getContext("2d");
  draw.fillStyle = fill;
  draw.fillRect(0, 0, 6, 6);
  draw.strokeStyle = draw.fillStyle = color("--back");
  draw.globalAlpha = 0.6;
  draw.beginPath();
  if (kind === "managed") { draw.moveTo(-1, 7); draw.lineTo(7, -1); draw.moveTo(-1, 1); draw.lineTo(1, -1); draw.moveTo(5, 7); draw.lineTo(7, 5); draw.stroke(); }
  else if (kind === "pinned") draw.fillRect(1, 1, 2, 2);
  else if (kind === "pageable") { draw.moveTo(0, 3); draw.lineTo(6, 3); draw.stroke(); }
  else if (kind === "unknown") { draw.moveTo(0, 0); draw.lineTo(6, 6); draw.moveTo(6, 0); draw.lineTo(0, 6); draw.stroke(); }
  const made = kind === "device" ? fill : context.createPattern(tile, "repeat");
  pattern.known.set(key, made);
  return made;
}
pattern.known = new Map();

const barY = (chart, share) => { const top = AXIS + 2 * STRIP + 6, tall = chart.tall - 2 * STRIP - 8; return top + (1 - (share - map.low) / (map.high - map.low)) * tall; };

function boxOf(chart, bar) {
  const x = Math.max(chart.px(bar.start), chart.gutter), right = Math.max(Math.min(chart.px(bar.end), chart.gutter + chart.width), x + 2);
  let y = barY(chart, bar.high), height = barY(chart, bar.low) - y;
  if (height < LEAST_BAR) { y -= (LEAST_BAR - height) / 2; height = LEAST_BAR; }
  return [x, y, right - x, height];
}

function drawMap(chart, context) {
  const selected = hasSelection(), late = [], top = AXIS + 2 * STRIP + 4;
  let drawn = 0;
  context.save();
  context.beginPath();
  context.rect(0, top, chart.gutter + chart.width, chart.tall);
  context.clip();
  context.globalAlpha = selected ? 0.25 : 1;
  let style = null;
  const thin = [];
  for (const bar of map.bars) {
    if (bar.end < range.from || bar.start > range.to || bar.high < map.low || bar.low > map.high) continue;
    drawn++;
    if (model.offending.has(bar) || selection.bars.has(bar)) late.push(bar);
    else if (barY(chart, bar.low) - barY(chart, bar.high) < LEAST_BAR) thin.push(bar);
  }
  const dense = thin.length > DENSE;
  if (dense) drawDense(chart, context, thin);
  map.isDense = dense;
  const apart = new Set(dense ? [...thin, ...late] : late);
  for (const bar of map.bars) {
    if (bar.end < range.from || bar.start > range.to || bar.high < map.low || bar.low > map.high || apart.has(bar)) continue;
    const [x, y, width, height] = boxOf(chart, bar), fill = color(grainOf(bar)[1]);
    const wanted = height > 5 && width > 4 ? pattern(context, bar.site.kind, fill) : fill;
    if (wanted !== style) context.fillStyle = style = wanted;
    context.fillRect(x, y, width, height > 4 ? height - 1 : height);
  }
  late.sort((a, b) => selection.bars.has(a) - selection.bars.has(b));
  const cells = new Set(); /* of many, one mark for each place where marks would cover each other */
  if (state.query) { /* what the search finds */
    const query = state.query.toLowerCase();
    context.globalAlpha = 1;
    context.strokeStyle = color("--link");
    for (const bar of map.bars) {
      if (bar.end < range.from || bar.start > range.to || bar.high < map.low || bar.low > map.high || !siteText(bar.site).includes(query)) continue;
      const [x, y, width, height] = boxOf(chart, bar);
      context.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
    }
  }
  for (const bar of late) {
    const [x, y, width, height] = boxOf(chart, bar), fill = color(grainOf(bar)[1]), chosen = selection.bars.has(bar);
    const many = late.length > 60, cell = `${x >> 5} ${y >> 4} ${chosen}`;
    context.globalAlpha = selected && !chosen ? 0.45 : 1;
    context.fillStyle = height > 5 && width > 4 ? pattern(context, bar.site.kind, fill) : fill;
    context.fillRect(x, y, width, height);
    if (model.offending.has(bar) && !(many && cells.has(cell))) drawMark(context, x, y, width, height);
    cells.add(cell);
    if (!chosen || (many && late.length > 500)) continue;
    const line = height > 6 ? 2 : 1; /* of low bars there would be nothing but outlines */
    context.strokeStyle = color("--select");
    context.lineWidth = line;
    context.strokeRect(x - line / 2, y - line / 2, width + line, height + line);
    context.lineWidth = 1;
  }
  context.globalAlpha = 1;
  context.restore();
  map.strips.forEach(([name, fill, spans], i) => {
    const y = AXIS + i * STRIP;
    if (spans.length) density(chart, context, spans, firstAt(spans, range.from), y + 1, STRIP - 3, color(fill));
    context.fillStyle = color("--back");
    context.fillRect(0, y, chart.gutter, STRIP);
    chart.label(context, name, y + STRIP / 2, true);
  });
  context.fillStyle = color("--line");
  context.fillRect(0, top - 2, chart.gutter + chart.width, 1);
  drawMargin(chart, context, top);
  return drawn;
}

/*
 * Many allocations that are lower than a bar can be drawn: each place has the colour of the granularity that most of the bytes
 * there have. Differences along the rows, summed up once, whatever the length of the bars.
 */
function drawDense(chart, context, bars) {
  const wide = 2, tall = LEAST_BAR, top = AXIS + 2 * STRIP + 4, columns = Math.ceil(chart.width / wide) + 2, rows = Math.ceil(chart.tall / tall) + 1;
  const sums = GRAINS.map(() => new Float64Array(columns * rows));
  for (const bar of bars) {
    const [x, y, width, height] = boxOf(chart, bar), sum = sums[GRAINS.indexOf(grainOf(bar))];
    const from = Math.floor((x - chart.gutter) / wide), to = Math.min(Math.max(Math.floor((x + width - chart.gutter) / wide), from + 1), columns - 1);
    const low = Math.max(Math.floor((y - top) / tall), 0), high = Math.min(Math.floor((y + height - 0.01 - top) / tall), rows - 1);
    for (let row = low; row <= high; row++) {
      sum[row * columns + from] += bar.size / (high - low + 1);
      sum[row * columns + to] -= bar.size / (high - low + 1);
    }
  }
  for (let row = 0; row < rows; row++) {
    const now = GRAINS.map(() => 0);
    let began = 0, before = -1;
    for (let column = 0; column < columns; column++) {
      let best = -1;
      for (let g = 0; g < sums.length; g++) {
        now[g] += sums[g][row * columns + column];
        if (now[g] > 0.5 && (best < 0 || now[g] > now[best])) best = g;
      }
      if (best === before && column + 1 < columns) continue;
      if (before >= 0) {
        context.fillStyle = color(GRAINS[before][1]);
        context.fillRect(chart.gutter + began * wide, top + row * tall, (column - began) * wide, tall);
      }
      [began, before] = [column, best];
    }
  }
}

/* Memory that a finding is about: a triangle at its beginning. */
function drawMark(context, x, y, width, height) {
  const middle = y + height / 2;
  context.fillStyle = color("--error");
  context.strokeStyle = color("--back");
  context.beginPath();
  context.moveTo(x - 1, middle - 5);
  context.lineTo(x + 7, middle);
  context.lineTo(x - 1, middle + 5);
  context.closePath();
  context.fill();
  context.stroke();
  context.strokeStyle = color("--error");
  if (height > LEAST_BAR) context.strokeRect(x + 0.5, y + 0.5, Math.max(width - 1, 1), Math.max(height - 1, 1));
}

function drawMargin(chart, context, top) {
  context.fillStyle = color("--back");
  context.fillRect(0, top, chart.gutter, chart.tall);
  let below = -Infinity;
  for (const label of [...map.labels].reverse()) {
    const high = Math.max(barY(chart, label.to), top), low = Math.min(barY(chart, label.from), AXIS + chart.tall), y = (high + low) / 2;
    if (low < top || high > AXIS + chart.tall || y < below + 14) continue;
    below = y;
    chart.label(context, model.several || state.process ? label.process.label : "addresses, upwards", y, true);
    context.fillStyle = color("--soft");
    context.fillRect(chart.gutter - 3, high, 2, low - high);
  }
}

function pickBar(chart, x, y) {
  if (x < chart.gutter) return null;
  if (y >= AXIS && y < AXIS + 2 * STRIP) {
    const [, , spans] = map.strips[Math.floor((y - AXIS) / STRIP)], ns = chart.ns(x), slack = 4 / chart.width * (range.to - range.from);
    const span = spans[firstAt(spans, ns - slack)];
    return span && span.start <= ns + slack ? span : null;
  }
  let best = null, least = Infinity;
  for (const bar of map.bars) {
    if (bar.end < range.from || bar.start > range.to || bar.high < map.low || bar.low > map.high) continue;
    const [left, top, width, height] = boxOf(chart, bar);
    if (x < left - 1 || x > left + width + 1 || y < top - 1 || y > top + height + 1) continue;
    const area = width * height * (model.offending.has(bar) ? 0.5 : 1);
    if (area < least) [best, least] = [bar, area];
  }
  return best;
}

const sayBar = (bar) => bar.lane ? saySpan(bar) : `${bytes(bar.size)} at 0x${bar.address.toString(16)}: ${bar.site.api}, ${bar.site.granularity}, ${bar.site.kind}; ` +
  `${bar.site.process.label}, from ${time(bar.start)} to ${bar.freed ? time(bar.end) : "the end"}; ${placeText(bar.site)}` +
  (model.offending.has(bar) ? `; ${[...new Set(bar.site.findings.map((f) => f.rule))].join(", ")}` : "");

/* With one finding about a bar, that is selected. */
function chooseBar(bar) {
  if (bar.lane) chooseSpan(bar); else select({ bar: bar.id });
}

function zoomAddresses(by, share) {
  const length = map.high - map.low, fixed = map.low + share * length, now = Math.min(Math.max(length * by, 1e-5), 1);
  map.low = Math.min(Math.max(fixed - share * now, 0), 1 - now);
  map.high = map.low + now;
  repaint();
}
function panAddresses(by) {
  const length = map.high - map.low;
  map.low = Math.min(Math.max(map.low + by * length, 0), 1 - length);
  map.high = map.low + length;
  repaint();
}

/* Their time and addresses, and the dock where they are shown. */
function showBars(bars) {
  const list = [...bars];
  show("time");
  const low = list.reduce((a, b) => Math.min(a, b.low), 1), high = list.reduce((a, b) => Math.max(a, b.high), 0), room = Math.max((high - low) * 2, 0.03);
  if (high - low < 0.02) { map.low = Math.max(low - room, 0); map.high = Math.min(high + room, 1); } else [map.low, map.high] = [0, 1];
  zoomTo(list.reduce((a, b) => Math.min(a, b.start), Infinity), list.reduce((a, b) => Math.max(a, b.end), 0));
  byId("map-canvas").scrollIntoView({ block: "end" });
}

function startMap() {
  byId("map-legend").append(...GRAINS.map(([name, fill, key]) => {
    const box = element("input", { type: "checkbox", name: key }), item = element("label", {}, box, ...legendItem(name, fill).childNodes);
    box.addEventListener("change", () => {
      state.off = [...byId("map-legend").querySelectorAll("input:not(:checked)")].map((b) => b.name).join(",");
      writeState();
      update();
    });
    return item;
  }), ...PATTERNS.filter(([, kind]) => model.sites.some((s) => s.kind === kind)).map(([name, kind]) => legendItem(name, "--soft", kind)),
    element("span", {}, element("i", { className: "offending" }), "memory of a finding"));
  byId("map-note").textContent = !model.bars.length ? emptyFor("No allocation was recorded: only those of at least \u2018hipgrain record --threshold\u2019 bytes are, and those of HIP.") :
    "Heights grow with the logarithm of the size; addresses that are never used are left out. Where many small allocations lie, the colour is that of most bytes: zoom in (Shift and wheel: addresses) to see each." +
    (model.leftOut ? ` ${model.leftOut} allocations are not shown, most of them below ${bytes(model.leastBar)}; the tables count them.` : "") + launchersText();
  return new Chart("map", {
    height: () => { /* what the dock has left, where it scrolls by itself */
      const wished = Math.max(180, 60 + map.bars.length * 8), panel = byId("time");
      const left = matchMedia("(max-width: 60rem)").matches ? 420 : panel.clientHeight - byId("lanes").offsetHeight - byId("map-legend").offsetHeight - 105;
      return Math.min(wished, Math.max(left, 190), 900);
    },
    draw: drawMap, pick: pickBar, say: sayBar, choose: chooseBar,
    items: () => map.sorted ??= [...map.bars].sort((a, b) => a.start - b.start),
    wheel: (chart, dy, y) => zoomAddresses(dy < 0 ? 0.8 : 1.25, Math.min(Math.max(1 - (y - AXIS - 2 * STRIP) / (chart.tall - 2 * STRIP), 0), 1)),
    drag: (chart, dy) => panAddresses(-dy / chart.tall),
    key: (chart, name) => {
      if (name === "ArrowUp") panAddresses(0.1); else if (name === "ArrowDown") panAddresses(-0.1); else return false;
      return true;
    },
  });
}
