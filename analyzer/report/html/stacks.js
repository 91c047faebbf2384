/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes by call stack: a flame graph whose frames are buttons, the outermost frame on top. */
"use strict";
const FLAME_OPTIONS = [["measure", "measure"], ["by-kind", "split"], ["unfold", "unfold"]];
const FLAME_ROW = 21;
const FRAMES_SHOWN = 1500;
const flame = { root: null, top: null, measure: "at_peak" };

/* Frames from the outermost on; what the runtime and the C library call is one frame by library, unless all are wanted. */
function pathOf(site) {
  const path = [];
  for (let i = site.stack.length - 1; i >= 0; i--) {
    const f = site.stack[i], folded = !state.unfold && isRuntimeFrame(f);
    if (folded && !path.length) continue; /* what calls main */
    const name = folded ? (isRuntimeLibrary(f) ? `[${fileName(f.module)}]` : "[HIP and C++ headers]") : f.function ? shortName(f.function) : `${fileName(f.module ?? "?")}`;
    const key = folded ? name : `${f.function ?? frameKey(f)}|${f.file ?? ""}`;
    if (folded && path.at(-1)?.key === key) continue;
    path.push({ key, name, full: folded ? `${name}, frames of the runtime or the C library` : frameText(f), runtime: folded });
  }
  if (!path.length && site.stack.length) path.push({ key: "[]", name: `[${fileName(site.stack[0].module ?? "?")}]`, full: "before main, or in a thread of a library", runtime: true });
  const call = `${site.api}${userFrame(site.stack) ? " at " + placeText(site) : ""}`;
  path.push({ key: "=" + call, name: call, full: call });
  return path;
}

const newNode = (frame, parent) => ({ ...frame, parent, bytes: 0, count: 0, children: new Map(), sites: new Set(), grains: new Map() });

function growFlame() {
  flame.measure = state.measure || "at_peak";
  const root = newNode({ key: "", name: "all memory", full: "all memory" }, null);
  for (const site of model.sites) {
    const amount = site[flame.measure];
    if (!amount || !shownProcess(site.process)) continue;
    const path = pathOf(site);
    if (state.split) path.unshift({ key: `#${site.granularity}`, name: `${site.granularity}, ${site.kind}`, full: `${site.granularity}, ${site.kind}` });
    let node = root;
    for (const frame of [null, ...path]) {
      if (frame) {
        if (!node.children.has(frame.key)) node.children.set(frame.key, newNode(frame, node));
        node = node.children.get(frame.key);
      }
      node.bytes += amount;
      node.count += site.count;
      node.sites.add(site);
      node.grains.set(site.granularity, (node.grains.get(site.granularity) ?? 0) + amount);
    }
  }
  flame.root = flame.top = root;
}

const share = (node) => `${bytes(node.bytes)}, ${(100 * node.bytes / Math.max(flame.root.bytes, 1)).toFixed(1)} %`;
const grainsText = (node) => [...node.grains].map(([name, amount]) => `${name} ${bytes(amount)}`).join(", ");

/* A frame of mixed granularity has the colours side by side. */
function flameFill(node) {
  let at = 0;
  const stops = GRAINS.filter(([, , g]) => node.grains.get(g)).map(([, fill, g]) => {
    const from = at;
    at += 100 * node.grains.get(g) / node.bytes;
    return `color-mix(in srgb, var(${fill}) 42%, var(--back)) ${from.toFixed(2)}% ${at.toFixed(2)}%`;
  });
  return stops.length === 1 ? `linear-gradient(${stops[0].replace(/ [\d.]+% [\d.]+%$/, "")} 0 0)` : `linear-gradient(90deg, ${stops.join(", ")})`;
}

function flameButton(node, left, width, depth) {
  const frame = button(node.name, { className: "frame" + (node.runtime ? " runtime" : ""), title: `${node.full}\n${share(node)}` }, () => chooseFrame(node));
  frame.ariaLabel = `${node.name}, ${share(node)}`;
  frame.style.left = `${100 * left}%`;
  frame.style.width = `calc(${100 * width}% - 1px)`;
  frame.style.top = `${depth * FLAME_ROW}px`;
  frame.style.backgroundImage = flameFill(node);
  frame.tabIndex = node === flame.top ? 0 : -1;
  frame.node = node;
  node.button = frame;
  if (selection.sites.size && ![...node.sites].some((s) => selection.sites.has(s))) frame.classList.add("dim");
  else if (selection.sites.size) frame.classList.add("chosen");
  const query = state.query.toLowerCase();
  if (query && `${node.name}\n${node.full}`.toLowerCase().includes(query)) frame.classList.add("found");
  frame.addEventListener("pointerenter", () => sayFrame(node));
  frame.addEventListener("focus", () => sayFrame(node));
  return frame;
}

const sayFrame = (node) => { byId("flame-hover").textContent = `${node.full}: ${share(node)} (${grainsText(node)}), ${count(node.count, "allocation")} of ${count(node.sites.size, "call site")}`; };

function paintFlame() {
  const box = byId("flame"), list = [];
  if (state.view !== "stacks" || !flame.root) return;
  if (!flame.root.bytes) {
    box.replaceChildren(element("p", { className: "note" }, model.sites.length && flame.measure === "live_bytes" ? "Nothing is left unfreed." : emptyFor("No allocation was recorded: only those of at least \u2018hipgrain record --threshold\u2019 bytes are, and those of HIP.")));
    box.style.height = "";
    return;
  }
  const narrowest = 2 / Math.max(box.clientWidth, 300);
  let deepest = 0;
  const path = [];
  for (let node = flame.top; node; node = node.parent) path.unshift(node);
  path.forEach((node, depth) => { list.push(flameButton(node, 0, 1, depth)); deepest = Math.max(deepest, depth); });
  const grow = (node, left, width, depth) => {
    if (list.length >= FRAMES_SHOWN) return;
    list.push(flameButton(node, left, width, depth));
    deepest = Math.max(deepest, depth);
    spread(node, left, width, depth);
  };
  const spread = (node, left, width, depth) => {
    for (const child of largestFirst(node)) {
      const wide = width * child.bytes / node.bytes;
      if (wide < narrowest) break;
      grow(child, left, wide, depth + 1);
      left += wide;
    }
  };
  spread(flame.top, 0, 1, path.length - 1);
  box.replaceChildren(...list);
  box.style.height = `${(deepest + 1) * FLAME_ROW}px`;
}

const largestFirst = (node) => [...node.children.values()].sort((a, b) => b.bytes - a.bytes);

/* A frame by its place below each of its callers, "0.2.1", and back; null: there is none. */
function addressOf(node) {
  const path = [];
  for (; node.parent; node = node.parent) path.unshift(largestFirst(node.parent).indexOf(node));
  return path.join(".");
}
function frameAt(address) {
  let node = flame.root;
  for (const part of address.split(".")) node = node && largestFirst(node)[Number(part)];
  return node ?? null;
}

/* A frame becomes the whole width, and its memory the selection. */
function chooseFrame(node) {
  flame.top = node;
  select(node.sites.size === 1 ? { site: [...node.sites][0].id } : node.parent ? { frame: addressOf(node) } : {});
  node.button?.focus({ preventScroll: true });
  sayFrame(node);
}

/* The frame of a site, with what calls it above. */
function showStack(site) {
  show("stacks");
  if (!site[flame.measure]) { state.measure = "bytes"; writeState(); update(); }
  let node = flame.root;
  for (;;) {
    const next = [...node.children.values()].find((n) => n.sites.has(site));
    if (!next) break;
    node = next;
  }
  while (node.parent && node.sites.size === 1 && node.parent.sites.size === 1) node = node.parent;
  flame.top = node;
  paintFlame();
  byId("stacks").scrollTop = 0;
}

/* Arrows move between frames as they lie. */
function moveInFlame(event) {
  const node = event.target.node;
  if (!node) return;
  const beside = node.parent ? largestFirst(node.parent) : [node], at = beside.indexOf(node);
  const to = { ArrowUp: node.parent, ArrowDown: largestFirst(node)[0], ArrowLeft: beside[at - 1], ArrowRight: beside[at + 1] }[event.key];
  if (!to?.button?.isConnected) return;
  event.preventDefault();
  event.stopPropagation();
  node.button.tabIndex = -1;
  to.button.tabIndex = 0;
  to.button.focus();
}

function startFlame() {
  for (const [id, key] of FLAME_OPTIONS) byId(id).addEventListener("change", (event) => {
    state[key] = event.target.type === "checkbox" ? (event.target.checked ? "1" : "") : event.target.value;
    state.frame = ""; /* frames have other places now */
    writeState();
    update();
  });
  byId("flame-out").addEventListener("click", () => { flame.top = flame.root; paintFlame(); });
  byId("stack-options").addEventListener("submit", (event) => event.preventDefault());
  byId("flame").addEventListener("keydown", moveInFlame);
}
