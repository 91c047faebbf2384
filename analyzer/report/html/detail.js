/* SPDX-License-Identifier: Apache-2.0 */
/* The pane of what is selected: a finding, an allocation, or a kernel. */
"use strict";

function facts(rows) {
  const list = element("dl", { className: "facts" });
  for (const [name, value] of rows) {
    if (value == null || value === "") continue;
    const mono = /^(kernel|instructions?|allocated|taken|given back|freed|launched|called|call stack|address|fingerprint)$/.test(name);
    list.append(element("dt", {}, name), element("dd", { className: mono ? "mono" : "" }, value instanceof Node ? value : String(value)));
  }
  return list;
}

function links(...items) {
  return element("div", { className: "links", role: "group", ariaLabel: "where it is in the views" }, ...items.filter(Boolean));
}

const link = (text, action, title) => button(text, { className: "link", title: title ?? "" }, action);

/* What the manual says of the rule. */
function ruleText(f) {
  const rule = data.rules[f.rule];
  if (!rule?.text) return null;
  const box = element("details", { className: "rule", open: true }, element("summary", {}, `${f.rule}: ${rule.title}`));
  for (const paragraph of rule.text.split("\n")) {
    const [, word, rest] = /^(Evidence|Fix|Sources):\s*(.*)$/s.exec(paragraph) ?? [];
    if (word === "Sources") continue;
    box.append(element("p", {}, ...(word ? [element("b", {}, word + ": "), rest] : [paragraph])));
  }
  const sources = Object.entries(rule.sources).map(([tag, text]) => `${tag}${text ? ": " + text : ""}`);
  if (sources.length) box.append(element("p", {}, element("b", {}, "Sources: "), sources.join("; ")));
  return box;
}

function snippetsOf(f) {
  const seen = new Set(), list = [];
  const add = (title, file, line, note) => {
    const key = `${title} ${file}:${line}`;
    if (!file || seen.has(key)) return;
    seen.add(key);
    list.push(snippet(title, file, line, note));
  };
  const addFrame = (title, stack) => { const frame = userFrame(stack); if (frame) add(title, frame.file, frame.line); };
  const hasAtomic = f.instructions?.some((i) => /atomic|_add_|_swap|cmpswap/.test(i.instruction));
  for (const i of f.instructions ?? []) add(hasAtomic ? "Atomic" : "Instruction", i.file, i.line, i.instruction);
  if (!f.instructions) add("Kernel", f.device_file, f.device_line);
  addFrame("Piece", f.allocation?.piece?.stack);
  addFrame("Allocation", f.allocation?.stack);
  for (const p of f.allocation?.pages ?? []) if (p.advice) addFrame("Advice", p.advice.stack);
  if (f.rule.startsWith("HG6")) addFrame("Freed", f.allocation?.free_stack);
  addFrame("Given back", f.allocation?.piece?.free_stack);
  addFrame("Launch", f.launches?.stack);
  addFrame("Call", f.call_stack);
  addFrame("Also involved", f.related_stack);
  for (const c of f.candidates ?? []) addFrame("Candidate", c.stack);
  for (const c of f.holders ?? []) addFrame("Holder", c.stack);
  return list.slice(0, 12);
}

function findingLinks(f) {
  const launches = launchesOf(f), calls = callsOf(f.sites), copies = calls.filter((s) => s.lane.kind !== "prefetch");
  const prefetches = calls.length - copies.length, ranges = rangesOf(f);
  /* Launches of several kernels that are drawn as one have no name. */
  const total = Math.max(launches.reduce((n, s) => n + s.count, 0), ofCause(f).reduce((n, o) => n + (o.launches?.count ?? 0), 0));
  return links(
    f.bars.size ? link(`Memory in the map (${f.bars.size})`, () => showBars(f.bars)) : null,
    launches.length ? link(`Launches (${total})`, () => showSpans(launches)) : null,
    copies.length ? link(`Copies (${copies.reduce((n, s) => n + s.count, 0)})`, () => showSpans(copies)) : null,
    ranges.length ? link(`Ranges (${ranges.length})`, () => showSpans(ranges)) : null,
    prefetches ? link(`Prefetches (${prefetches})`, () => showSpans(calls.filter((s) => s.lane.kind === "prefetch"))) : null,
    f.kernel ? link("Kernel", () => select({ kernel: f.kernel }), f.kernel) : null,
    f.sites.size ? link("Stack in the flame graph", () => showStack([...f.sites][0])) : null);
}

/* What else has the same cause: kernel, argument, line, launches. */
function othersOf(f) {
  if (!f.others) return [];
  const rows = f.others.map((o) => {
    const instruction = o.instructions?.find((i) => i.file), frame = instruction ?? userFrame(o.call_stack);
    const owner = userFrame(o.allocation?.stack), cells = [o.argument ?? o.path ?? (o.argument_index == null ? "" : `argument ${o.argument_index}`),
      frame ? `${shortPath(frame.file)}:${frame.line}` : "", o.launches ? count(o.launches.count, "launch", "launches") : count(o.count, "time"),
      owner ? `${o.allocation.size} bytes of ${shortPath(owner.file)}:${owner.line}` : "", o.confidence === f.confidence ? "" : o.confidence];
    const name = o.kernel ? link(shortName(o.kernel), () => select({ kernel: o.kernel }), o.kernel) : o.api ?? "";
    return element("tr", {}, element("td", {}, name), ...cells.map((text) => element("td", {}, text)));
  });
  return [element("h3", {}, `${count(f.others.length, "more finding")} of the same cause`),
    element("div", { className: "scroll" }, element("table", { className: "others" }, element("tbody", {}, ...rows)))];
}

/* All of a finding; also printed. */
function findingDetail(f) {
  return [
    element("header", { className: "title", "data-severity": f.severity },
      element("h2", {}, titleOf(f)),
      element("p", {}, element("span", { className: "badge" }, f.severity), " ", element("span", { className: "id" }, f.rule), ` ${f.slug} \u00b7 ${f.confidence}`, f.ranks ? ` \u00b7 ranks ${ranksOf(f)}` : "")),
    findingLinks(f),
    f.message && titleOf(f) !== f.message ? element("p", { className: "message" }, f.message) : "",
    element("div", { className: "snippets" }, ...snippetsOf(f).toSpliced(1, 0, fixOf(f)).filter(Boolean)),
    ...othersOf(f),
    ruleText(f) ?? "",
    element("h3", {}, "Facts"), facts([...rowsOf(f), ["sources", f.sources.join(", ")]]),
  ];
}

function findingButtons(list) {
  return element("ul", { className: "plain" }, ...list.slice(0, 50).map((f) => element("li", {}, link(`${f.rule} ${f.severity}: ${titleOf(f)}`, () => select({ finding: identity(f) })))));
}

function stackList(stack) {
  return element("ol", { className: "stack mono" }, ...stack.map((f) => element("li", { className: isRuntimeFrame(f) ? "runtime" : "" }, frameText(f))));
}

function siteDetail(site, bar) {
  const frame = userFrame(site.stack), calls = callsOf([site]);
  return [
    element("header", { className: "title" }, element("h2", {}, `${bar ? bytes(bar.size) : bytes(site.peak)} from ${site.api}`),
      element("p", {}, `${site.granularity}, ${site.kind}, ${site.location} \u00b7 ${site.process.label}`)),
    links(site.bars.length ? link(`Memory in the map (${bar ? 1 : site.bars.length})`, () => showBars(bar ? [bar] : site.bars)) : null,
      bar && site.bars.length > 1 ? link(`All ${site.bars.length} of this call`, () => select({ site: site.id })) : null,
      calls.length ? link(`Copies and fills (${calls.reduce((n, s) => n + s.count, 0)})`, () => showSpans(calls)) : null,
      link("Stack in the flame graph", () => showStack(site))),
    element("h3", {}, site.findings.length ? "Findings about it" : "No finding is about it"), site.findings.length ? findingButtons(site.findings) : "",
    frame ? element("div", { className: "snippets" }, snippet("Allocation", frame.file, frame.line)) : "",
    element("h3", {}, "Facts"),
    facts([["address", bar && "0x" + bar.address.toString(16)], ["lived", bar && `${time(bar.start)} to ${bar.freed ? time(bar.end) : "the end"}`],
      ["allocations", site.count], ["allocated in total", bytes(site.bytes)], ["high-water mark", bytes(site.peak)], ["at the process's peak", bytes(site.at_peak)],
      ["never freed", site.live_count ? `${bytes(site.live_bytes)} in ${site.live_count}` : "nothing"], ["passed to kernels", site.used === null ? null : bytes(site.used)], ["call stack", stackList(site.stack)]]),
  ];
}

function kernelDetail(name) {
  const spans = model.lanes.filter((l) => l.kind === "launch" && shownProcess(l.process)).flatMap((l) => l.spans.filter((s) => s.name === name));
  const rows = model.kernels.filter((k) => k.name === name && shownProcess(k.process)), related = report.findings.filter((f) => kernelsOf(f).includes(name));
  const bounds = spans.filter((s) => s.done && s.count === 1).map((s) => s.done - s.start);
  return [
    element("header", { className: "title" }, element("h2", {}, shortName(name)), element("p", { className: "mono" }, name)),
    links(spans.length ? link(`Launches (${spans.reduce((n, s) => n + s.count, 0)})`, () => showSpans(spans)) : null),
    element("h3", {}, related.length ? "Findings about it" : "No finding is about it"), related.length ? findingButtons(related) : "",
    element("h3", {}, "Facts"),
    facts([["launches", rows.reduce((n, k) => n + k.launches, 0)], ["work-items", rows.reduce((n, k) => n + k.items, 0)], ["processes", new Set(rows.map((k) => k.process)).size],
      ["ran at most", bounds.length ? `${time(Math.min(...bounds))} at the shortest (from a launch to the end of the next wait for its stream: an upper bound)` : "not known: the end of kernels is not recorded, and no wait followed"]]),
  ];
}

function frameDetail(node) {
  const sites = [...node.sites].sort((a, b) => b[flame.measure] - a[flame.measure]), related = [...selection.findings];
  return [
    element("header", { className: "title" }, element("h2", {}, node.name), element("p", { className: "mono" }, node.full)),
    links(selection.bars.size ? link(`Memory in the map (${selection.bars.size})`, () => showBars(selection.bars)) : null),
    element("h3", {}, related.length ? "Findings about its memory" : "No finding is about its memory"), related.length ? findingButtons(related) : "",
    element("h3", {}, "Call sites"),
    element("ul", { className: "plain" }, ...sites.slice(0, 50).map((s) => element("li", {}, link(`${bytes(s[flame.measure])}: ${siteName(s)}, ${s.granularity}`, () => select({ site: s.id }))))),
  ];
}

function overviewDetail() {
  const counts = SEVERITIES.map((s) => [s, report.findings.filter((f) => f.severity === s).length]).filter(([, n]) => n);
  const used = model.processes.filter((p) => p.used);
  return [
    element("header", { className: "title" }, element("h2", {}, counts.length ? "Select a finding, a bar, a launch or a frame" : analysed && !fails ? "Nothing was found" : `No finding, but ${silence}`)),
    element("p", {}, "All parts of this page show the same selection; the address of the page keeps it. The key ? lists the keys."),
    facts([["processes", used.length], ["launches", model.kernels.reduce((n, k) => n + k.launches, 0)], ["allocations", model.sites.reduce((n, s) => n + s.count, 0)],
      ["events", report.events], ["recording", report.recording?.status]]),
  ];
}

function showDetail() {
  const pane = byId("detail");
  const content = selection.finding ? findingDetail(selection.finding) : selection.site ? siteDetail(selection.site, selection.bar) :
    selection.frame ? frameDetail(selection.frame) : selection.kernel ? kernelDetail(selection.kernel) : overviewDetail();
  const key = SELECTS.map((name) => state[name]).join("\n");
  pane.replaceChildren(...content.filter((x) => x !== "" && x));
  if (pane.dataset.of !== key) pane.scrollTop = 0;
  pane.dataset.of = key;
}

/* On paper: each finding in full. */
function fillPrinted() {
  const found = report.findings.filter(matches).slice(0, 200);
  byId("printed").replaceChildren(...found.map((f) => element("article", {}, ...findingDetail(f).filter((x) => x !== "" && x && !x.classList?.contains("links")))));
}
