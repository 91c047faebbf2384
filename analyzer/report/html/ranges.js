/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges that the program names: a row for each level of a thread, and those that a finding occurred in. */
"use strict";

/* As spans of the timeline; `path`: the names of the thread's own ranges from the outermost one on. */
function addRanges(view, processOf, text) {
  const open = new Map(); /* of a thread: the latest path of each level */
  for (const [index, tid, level, start, end, name, thread] of view.ranges ?? []) {
    const process = processOf(index), key = `${process.id} ${tid}`;
    if (!open.has(key)) open.set(key, []);
    const paths = open.get(key), above = tid < 0 || !level ? "" : paths[level - 1] + " / ";
    paths[level] = above + text(name);
    model.ranges.push({
      lane: { kind: "range", process, tid, level, thread: thread == null ? "" : ` "${text(thread)}"` }, start, end: end ?? view.duration_ns, count: 1, bytes: 0, name: text(name), path: paths[level],
      mark: start === end, ended: end != null, done: 0, to: null, from: null });
    process.used = true;
  }
  model.rangesLeftOut += view.ranges_left_out ?? 0;
}

/* Started ranges first, then those of each thread, in the order in which threads began one. */
function rangeRows(process, before) {
  const rows = groupBy(model.ranges.filter((r) => r.lane.process === process), ({ lane }) => `${lane.tid} ${lane.level}`);
  const threads = [...new Set([...rows.values()].map(([r]) => r.lane.tid))].sort((a, b) => (b < 0) - (a < 0));
  return threads.flatMap((tid) => [...rows.values()].filter(([r]) => r.lane.tid === tid).sort(([a], [b]) => a.lane.level - b.lane.level).map((spans) => ({
    kind: "range", spans,
    name: before + (tid < 0 ? "ranges of all threads" : `thread ${tid}${spans[0].lane.thread} ranges`) + (spans[0].lane.level ? `, level ${spans[0].lane.level + 1}` : "") })));
}

/* Names that differ by numbers have "*" there; started ranges come first in the path of a finding and not in that of a thread's range. */
function rangePattern(path) {
  return new RegExp("^" + path.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("(\\d+|\\*)") + "$");
}

function rangesOf(f) {
  if (f.spans) return f.spans;
  const paths = [...new Set(ofCause(f).flatMap((o) => o.ranges ?? []).map((r) => r.path))].map((path) => path.split(" / "));
  /* Each end of a path, as it is not known how many of its ranges were started. */
  const ends = [...new Set(paths.flatMap((names) => names.map((_, i) => names.slice(i).join(" / "))))].map((end) => rangePattern(end));
  const known = new Map();
  const fits = (path) => { if (!known.has(path)) known.set(path, ends.some((e) => e.test(path))); return known.get(path); };
  return f.spans = ends.length ? model.ranges.filter((r) => f.processes.has(r.lane.process) && fits(r.path)) : [];
}
