/* SPDX-License-Identifier: Apache-2.0 */
/* The time that the charts show, all the same, and a chart over it with the names of its rows in a margin of its own. */
"use strict";
const range = { from: 0, to: 1 };
const charts = [];
const AXIS = 20;

function setRange(from, to) {
  const whole = model.duration, least = Math.min(whole, 10);
  if (!(to > from)) { from = 0; to = whole; }
  const length = Math.min(Math.max(to - from, least), whole);
  range.from = Math.min(Math.max(from, 0), whole - length);
  range.to = range.from + length;
}

let writing;
function moveTo(from, to) {
  setRange(from, to);
  state.time = range.from <= 0 && range.to >= model.duration ? "" : `${Math.round(range.from)}-${Math.round(range.to)}`;
  clearTimeout(writing);
  writing = setTimeout(() => writeState(), 200); /* browsers limit how often the address may change */
  repaint();
}
const zoomTime = (by, at = 0.5) => { const length = range.to - range.from, fixed = range.from + at * length; moveTo(fixed - at * length * by, fixed + (1 - at) * length * by); };
const panTime = (by) => { const length = range.to - range.from; moveTo(range.from + by * length, range.to + by * length); };

/* The time of these, with some room. */
function zoomTo(from, to) {
  const room = Math.max((to - from) * 0.1, 1000);
  moveTo(from - room, to + room);
}

let painting = 0;
function repaint() {
  if (!painting) painting = requestAnimationFrame(() => { painting = 0; charts.forEach((c) => c.paint()); });
}

/*
 * options: height(), draw(chart, context) -> how many items were drawn, pick(chart, x, y) -> item or null, say(item) -> text,
 * choose(item), items() -> all in the order of time, for the keyboard; wheel(chart, dy, y), key(chart, name) -> handled.
 */
class Chart {
  constructor(id, options) {
    this.canvas = byId(id + "-canvas");
    this.hover = byId(id + "-hover");
    Object.assign(this, options);
    this.pointers = new Map();
    this.listen();
    charts.push(this);
  }
  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [x, y] = this.at(event);
      if (event.shiftKey && this.wheel) this.wheel(this, event.deltaY || event.deltaX, y);
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) panTime(event.deltaX / this.width);
      else zoomTime(Math.exp(Math.max(Math.min(event.deltaY, 200), -200) * (event.ctrlKey ? 0.01 : 0.002)), Math.min(Math.max((x - this.gutter) / this.width, 0), 1));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => { this.pointers.set(event.pointerId, this.at(event)); this.moved = 0; canvas.setPointerCapture(event.pointerId); });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => {
      const was = this.pointers.delete(event.pointerId);
      if (was && name === "pointerup" && this.moved < 5 && !this.pointers.size) {
        const item = this.pick(this, ...this.at(event));
        if (item) this.choose(item);
      }
    });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerleave", () => { canvas.style.cursor = ""; });
    canvas.addEventListener("keydown", (event) => this.press(event));
  }
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
  move(event) {
    const at = this.at(event), before = this.pointers.get(event.pointerId);
    if (!before) {
      const item = this.pick(this, ...at);
      this.canvas.style.cursor = item ? "pointer" : "";
      this.hover.textContent = item ? this.say(item) : "";
      return;
    }
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId);
    this.moved += Math.abs(at[0] - before[0]) + Math.abs(at[1] - before[1]);
    if (others.length) { /* two fingers: what is between them stays there */
      const other = others[0][1][0], old = Math.max(Math.abs(before[0] - other), 8), now = Math.max(Math.abs(at[0] - other), 8);
      zoomTime(old / now, Math.min(Math.max((other - this.gutter) / this.width, 0), 1));
    } else if (this.moved >= 5) {
      panTime((before[0] - at[0]) / this.width);
      if (this.wheel && event.pointerType === "mouse") this.drag?.(this, before[1] - at[1]);
    }
    this.pointers.set(event.pointerId, at);
  }
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { n: 1, p: -1 }[event.key];
    if (this.key?.(this, event.key)) { /* taken */ }
    else if (event.key === "ArrowLeft") panTime(-0.1);
    else if (event.key === "ArrowRight") panTime(0.1);
    else if (step) this.step(step);
    else if (event.key === "Enter" && this.current) this.choose(this.current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  /* By keyboard from one item to the next, which is said and marked. */
  step(by) {
    const all = this.items(), at = all.indexOf(this.current);
    this.current = all[at < 0 ? (by > 0 ? all.findIndex((i) => i.end >= range.from) : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)] ?? all[0];
    if (!this.current) return;
    const { start } = this.current, length = range.to - range.from;
    if (start < range.from || start > range.to) moveTo(start - length / 4, start + length * 3 / 4);
    this.hover.textContent = this.say(this.current);
    repaint();
  }
  px(ns) { return this.gutter + (ns - range.from) / (range.to - range.from) * this.width; }
  ns(x) { return range.from + (x - this.gutter) / this.width * (range.to - range.from); }
  paint() {
    const canvas = this.canvas, scale = Math.min(window.devicePixelRatio || 1, 2), whole = canvas.clientWidth;
    if (!whole) return;
    this.tall = this.height();
    this.gutter = Math.round(Math.min(210, whole * 0.28));
    this.width = whole - this.gutter;
    canvas.style.height = `${this.tall + AXIS}px`;
    canvas.width = whole * scale; canvas.height = (this.tall + AXIS) * scale;
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.font = "11px system-ui, sans-serif";
    this.ticks(context);
    context.save();
    context.beginPath();
    context.rect(0, AXIS, whole, this.tall);
    context.clip();
    canvas.dataset.drawn = this.draw(this, context);
    context.restore();
    context.fillStyle = color("--line");
    context.fillRect(this.gutter, 0, 1, this.tall + AXIS);
  }
  ticks(context) {
    const length = range.to - range.from, wished = length / Math.max(this.width / 110, 1);
    const power = 10 ** Math.floor(Math.log10(wished)), step = power * ([1, 2, 5].find((m) => m * power >= wished) ?? 10);
    context.textBaseline = "middle";
    for (let at = Math.ceil(range.from / step) * step; at <= range.to; at += step) {
      const x = Math.round(this.px(at));
      context.fillStyle = color("--line");
      context.fillRect(x, AXIS - 5, 1, this.tall + 5);
      context.fillStyle = color("--soft");
      const text = tickText(at, step);
      if (x + 4 + context.measureText(text).width < this.gutter + this.width) context.fillText(text, x + 4, AXIS / 2);
    }
  }
  /* The name of a row, in the margin. */
  label(context, text, y, soft) {
    context.fillStyle = color(soft ? "--soft" : "--fore");
    context.textBaseline = "middle";
    context.fillText(fit(context, text, this.gutter - 8), 4, y);
  }
}

/* As many decimals as the step between two ticks needs. */
function tickText(ns, step) {
  const [unit, name] = range.to >= 1e9 ? [1e9, "s"] : range.to >= 1e6 ? [1e6, "ms"] : range.to >= 1e3 ? [1e3, "\u00b5s"] : [1, "ns"];
  return `${(ns / unit).toFixed(Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / unit) - 1e-9))))} ${name}`;
}

/* As much of a text as fits. */
function fit(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(text.slice(0, middle) + "\u2026").width <= width) low = middle; else high = middle - 1;
  }
  return low ? text.slice(0, low) + "\u2026" : "";
}

/* The first item that ends (`until`, where that is later) at or after a time, of items in order. */
function firstAt(items, ns) {
  let low = 0, high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle].until ?? items[middle].end) < ns) low = middle + 1; else high = middle;
  }
  return low;
}

/* Many items: how many begin in each pixel, as columns. */
function density(chart, context, items, first, top, height, fill) {
  const columns = new Float64Array(Math.ceil(chart.width / 2) + 1), unit = chart.width / (range.to - range.from) / 2;
  let most = 0;
  for (let i = first; i < items.length && items[i].start <= range.to; i++) {
    const from = Math.max(Math.floor((items[i].start - range.from) * unit), 0), to = Math.min(Math.floor((items[i].end - range.from) * unit), columns.length - 1);
    for (let k = from; k <= to; k++) most = Math.max(most, columns[k] += items[i].count ?? 1);
  }
  context.fillStyle = fill;
  for (let k = 0; k < columns.length; k++) {
    if (!columns[k]) continue;
    const tall = Math.max(height * Math.log1p(columns[k]) / Math.log1p(most), 2);
    context.fillRect(chart.gutter + k * 2, top + height - tall, 2, tall);
  }
}
