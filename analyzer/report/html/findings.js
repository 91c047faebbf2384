/* SPDX-License-Identifier: Apache-2.0 */
/* The list of findings, its filters and the search. */
"use strict";
const SEVERITIES = ["error", "warning", "advice", "note"];
const ROWS_SHOWN = 500;
const CAUSES = { prefetch: "prefetched", gpu_fault: "GPU faults", cpu_fault: "host faults", eviction: "because GPU memory was full" };

const frameText = (f) => (f.file ? `${f.file}:${f.line}` : `${f.module ?? "?"}+${f.offset ?? "?"}`) + (f.function ? ` (${f.function})` : "");
/* From the place on, as the text report has it. What called main has names on some systems only, and says nothing of the program. */
function frames(stack) {
  const all = stack ?? [], main = all.findIndex((f) => f.function === "main");
  return all.slice(Math.max(all.indexOf(userFrame(all)), 0), main < 0 ? undefined : main + 1).map(frameText).join("\n");
}
const sideOf = (place) => place < 0 ? "the host" : `device ${place}`;
const callOf = (call) => call ? (call.api ?? "a call") + (call.file ? ` at ${call.file}:${call.line}` : "") : "";

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
const leastMost = (least, most) => least === most ? `${least}` : `${least} to ${most}`;
const instructionOf = (i) => `${i.instruction} at +0x${i.code_offset.toString(16)}` + (i.function ? ` of ${i.function}` : "") + (i.file ? ` (${i.file}:${i.line})` : "");
const pageOf = (p) => `offsets ${p.offset} to ${p.offset + p.size - 1}: ${p.granularity}` +
  (p.advice ? `, by ${p.advice.call} of ${p.advice.size} bytes at ${p.advice.address}, ${frames(p.advice.stack.slice(0, 1))}` : "");
const candidateOf = (c) => (c.count > 1 ? `${c.count} allocations of ` : "") + `${leastMost(c.least_size, c.most_size)} bytes from ${c.api}${c.symbol ? " " + c.symbol : ""}, ` +
  `${c.mixed ? "in part " : ""}${c.granularity}${c.kernarg_offset == null ? "" : `, passed at byte ${c.kernarg_offset} of the arguments`}\n${frames(c.stack)}`;

const pieceOf = (p) => `${p.name ? `"${p.name}", ` : ""}${p.size} bytes${p.pool ? ` of pool "${p.pool}"` : ""} at ${p.address}, offset ${p.offset}${p.several ? " (the first of several)" : ""}`;

function ranksOf(f) {
  if (!f.ranks) return null;
  const numbers = [...new Set(f.ranks.map((r) => r.rank))];
  const text = numbers.length > 12 ? `${numbers.length} from ${numbers[0]} to ${numbers.at(-1)}` : numbers.join(", ");
  return text + (f.rank_outliers?.length ? ` (unlike the others: ${f.rank_outliers.join(", ")})` : "");
}

function rowsOf(f) {
  const memory = f.allocation;
  return [
    ["kernel", f.kernel],
    [f.instructions && f.instructions.length > 1 ? "instructions" : "instruction", f.instructions && f.instructions.map(instructionOf).join("\n")],
    ["argument", f.argument ?? (f.argument_index == null ? null : `number ${f.argument_index}`)], ["path", f.path],
    ["piece", memory?.piece && pieceOf(memory.piece)], ["taken", memory?.piece && frames(memory.piece.stack)], ["given back", memory?.piece?.free_stack && frames(memory.piece.free_stack)],
    ["memory", memory && `${memory.size} bytes from ${memory.api}${memory.symbol ? " " + memory.symbol : ""}${memory.label ? ` "${memory.label}"` : ""}${memory.view_space ? ` (View in ${memory.view_space})` : ""} at ${memory.address}, offset ${leastMost(memory.first_offset, memory.last_offset)}` +
      (memory.several ? ` (the first of several, ${leastMost(memory.least_size, memory.most_size)} bytes)` : "")],
    ["granularity", memory && memory.granularity && `${memory.granularity}${memory.why ? ": " + memory.why : ""}`],
    ["pages", memory && memory.pages && memory.pages.map(pageOf).join("\n")],
    ["candidates", f.candidates && f.candidates.map(candidateOf).join("\n")], ["held by", f.holders && f.holders.map(candidateOf).join("\n")],
    ["allocated", memory && frames(memory.stack)], ["requested", memory?.requested && frameText(memory.requested)], ["allocated in", memory?.range], ["freed", memory && frames(memory.free_stack)],
    ["launched", f.launches && frames(f.launches.stack)], ["launches", f.launches && f.launches.count + (f.launches.beside ? `; ${f.launches.beside} more used other pages of the memory` : "")
      + (f.launches.unplaced ? `; ${f.launches.unplaced} more, of which it is not known what memory the instruction updated` : "")],
    ["called", frames(f.call_stack)], ["call", f.api], ["also involved", f.related && f.related + (f.related_stack ? "\n" + frames(f.related_stack) : "")],
    ["worth", f.worth && (f.worth.by === "measured" ? `at most ${(f.worth.ns / 1e6).toFixed(3)} ms, ${f.worth.percent.toFixed(1)} % of the time of kernels and copies` : `at least ${(f.worth.ns / 1e6).toFixed(3)} ms: ${f.worth.bytes} bytes over the link to the host, if that is ${f.worth.link} or slower`)],
    ["time", f.gpu_time && `${(f.gpu_time.ns / 1e6).toFixed(3)} ms in ${f.gpu_time.dispatches} dispatch${f.gpu_time.dispatches === 1 ? "" : "es"} of this kernel${f.gpu_time.dispatches > 1 ? `, at most ${(f.gpu_time.most_ns / 1e6).toFixed(3)} ms each` : ""}, ${f.gpu_time.percent.toFixed(1)} % of the time of kernels and copies`],
    ["range", f.in_ranges], ["history", historyOf(f.history)], ["occurrences", f.count],
    ["measured", f.measured], ["not proven", f.doubts], ["ranks", ranksOf(f)], ["seeds", f.seeds?.join(", ")], f.pids ? ["processes", f.pids.join(", ")] : ["process", f.pid], ["fingerprint", f.fingerprint], ["cause", f.cause],
  ].filter(([, value]) => value != null && value !== "");
}

/* Wrapping frames are the runtime's own; the first other one is what a person wrote. */
const isRuntimeLibrary = (f) => /^(lib(c|m|dl|pthread|stdc\+\+|amdhip64|hsa-runtime64|amd_comgr|amd_smi|LLVM|hipgrain|omp|gomp|gcc_s|ld)(?![a-z])|ld-linux|\[vdso)/.test(fileName(f.module ?? ""));
/* As analyzer/isa/wrappers.def has them. */
const isLibraryFrame = (f) => /\/(c\+\+\/v1|include\/(camp|hipcub|RAJA|rmm|rocprim|thrust|umpire)|thrust\/thrust|src\/umpire)\/|\/(AMReX|Kokkos)_|\/hipgrain\.h$/.test(f.file ?? "");
const isRuntimeFrame = (f) => isRuntimeLibrary(f) || isLibraryFrame(f) || /^(_start|__libc_start|__hip|__device_stub__)/.test(f.function ?? "") || /\/(include\/(c\+\+|hip|hsa)|x86_64-linux-gnu\/c\+\+|hip\/amd_detail)\//.test(f.file ?? "");
const userFrame = (stack) => (stack ?? []).find((f) => f.file && !isRuntimeFrame(f)) ?? null;

/* Where it is to be looked at first: the atomic, else the piece or allocation, else the call. */
function placeOfFinding(f) {
  const instruction = f.instructions?.find((i) => i.file);
  const frame = instruction ?? userFrame(f.allocation?.piece?.stack) ?? userFrame(f.allocation?.stack) ?? userFrame(f.launches?.stack) ?? userFrame(f.call_stack);
  return frame ? `${fileName(frame.file)}:${frame.line}` : "";
}

const titleOf = (f) => data.rules[f.rule]?.title ?? f.message ?? f.slug;
const placesOf = (f) => [...(f.instructions ?? []), ...(f.allocation?.stack ?? []), ...(f.launches?.stack ?? []), ...(f.call_stack ?? [])].filter((x) => x.file).map((x) => `${x.file}:${x.line}`);
const haystacks = report.findings.map((f) => {
  let text;
  return () => text ??= [f.rule, f.slug, f.severity, f.confidence, titleOf(f), f.message, f.fix, ...ofCause(f).flatMap((o) => [...placesOf(o), ...rowsOf(o).map(([, v]) => v)])].join("\n").toLowerCase();
});

function matches(f) {
  return !(state.rule && f.rule !== state.rule) && !state.hide.split(",").includes(f.severity) &&
    (!state.process || [...f.processes].some(shownProcess)) &&
    (!state.query || haystacks[f.index]().includes(state.query.toLowerCase()));
}

function findingRow(f) {
  const place = placeOfFinding(f);
  const row = button("", { className: "finding", "data-severity": f.severity, "data-rule": f.rule }, () => select({ finding: identity(f) }));
  if (selection.finding === f) row.setAttribute("aria-current", "true");
  else if (selection.findings.has(f)) row.classList.add("related");
  row.append(element("span", { className: "head" }, element("span", { className: "badge" }, f.severity), element("span", { className: "id" }, f.rule), element("span", { className: "grade" }, f.confidence)),
    element("span", { className: "title" }, titleOf(f)),
    element("span", { className: "where" }, [f.kernel ? shortName(f.kernel) : f.api ?? "", place, f.others ? `and ${f.others.length} more` : ""].filter(Boolean).join(" \u00b7 ")));
  return element("li", {}, row);
}

function showFindings() {
  const list = byId("list"), found = report.findings.filter(matches);
  const focused = document.activeElement?.closest?.("#list") ? document.activeElement : null;
  list.replaceChildren(...found.slice(0, ROWS_SHOWN).map(findingRow));
  byId("list-note").textContent = found.length > ROWS_SHOWN ? `${found.length - ROWS_SHOWN} more: narrow the search` :
    report.findings.length ? (found.length ? "" : "No finding matches.") :
    analysed && !fails ? "Nothing was found." : `No findings, but ${silence}: see the list below.`;
  byId("shown").textContent = `${found.length} of ${report.findings.length}`;
  const current = list.querySelector("[aria-current]");
  if (focused && current) current.focus({ preventScroll: true });
  current?.scrollIntoView({ block: "nearest" });
}

function stepFinding(by) {
  const found = report.findings.filter(matches);
  const at = found.indexOf(selection.finding);
  const next = found[at < 0 ? (by > 0 ? 0 : found.length - 1) : Math.min(Math.max(at + by, 0), found.length - 1)];
  if (!next) return;
  select({ finding: identity(next) });
  byId("list").querySelector("[aria-current]")?.focus();
}

function startFindings() {
  const rule = byId("rule");
  const names = new Map(report.findings.map((f) => [f.rule, f.slug]));
  for (const [id, slug] of [...names].sort()) rule.append(element("option", { value: id }, `${id} ${slug}`));
  for (const severity of SEVERITIES) {
    const number = report.findings.filter((f) => f.severity === severity).length;
    const box = element("input", { type: "checkbox", name: severity });
    box.addEventListener("change", () => {
      state.hide = [...byId("severities").querySelectorAll("input:not(:checked)")].map((b) => b.name).join(",");
      writeState();
      update();
    });
    byId("severities").append(element("label", { "data-severity": severity }, box, ` ${severity} `, element("b", {}, String(number))));
  }
  rule.addEventListener("change", () => { state.rule = rule.value; writeState(); update(); });
  byId("query").addEventListener("input", (event) => { state.query = event.target.value; writeState(); update(); });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  for (const line of report.end?.text || []) byId("end").append(element("p", {}, line));
  for (const [title, lines] of [["Not analysed", report.limits], ["Notes", report.notes]]) {
    if (lines.length) byId("limits").append(element("details", { open: lines.length < 6 }, element("summary", {}, `${title} (${lines.length})`), element("ul", {}, ...lines.map((l) => element("li", {}, l)))));
  }
  const cost = report.recording_cost;
  if (cost) {
    const share = cost.share === null ? "" : `; about ${(100 * cost.share).toFixed(1)} % of the programs' CPU time (estimated from ${cost.timed_calls} of ${cost.calls} calls)`;
    byId("limits").append(element("p", { className: "note" }, `Recording cost: ${cost.events} events, ${(cost.bytes / 1e6).toFixed(1)} MB${share}.`));
  }
}

/* The fields as the state has them. */
function showFilters() {
  byId("query").value = state.query;
  byId("rule").value = state.rule;
  byId("process").value = state.process;
  byId("measure").value = state.measure || "at_peak";
  byId("by-kind").checked = Boolean(state.split);
  byId("unfold").checked = Boolean(state.unfold);
  const hidden = state.hide.split(",");
  for (const box of byId("severities").querySelectorAll("input")) box.checked = !hidden.includes(box.name);
}
