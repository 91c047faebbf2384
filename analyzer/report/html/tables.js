/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that are sorted by a click on a column's name and filtered by the search, and histograms. */
"use strict";
const tables = [];
const TABLE_ROWS = 200;

/*
 * columns: [name, value(row), format]; without a format it is text. `options`: choose(row), isSelected(row), process(row),
 * empty: what to say without rows.
 */
function table(id, columns, rows, options = {}) {
  const sort = { by: null, down: true };
  const paint = () => {
    const query = state.query.toLowerCase(), box = byId(id);
    let list = rows.filter((r) => !options.process || shownProcess(options.process(r)));
    const all = list.length;
    if (query) {
      const found = list.filter((r) => columns.some(([, value]) => String(value(r) ?? "").toLowerCase().includes(query)) || options.text?.(r).toLowerCase().includes(query));
      list = found;
    }
    if (sort.by !== null) {
      const value = columns[sort.by][1];
      list = [...list].sort((a, b) => {
        const x = value(a) ?? -1, y = value(b) ?? -1;
        return (x < y ? -1 : x > y ? 1 : 0) * (sort.down ? -1 : 1);
      });
    }
    if (!rows.length || !list.length) {
      box.replaceChildren(element("p", { className: "note" }, rows.length && all ? "No row matches the search." : options.empty ?? "Nothing was recorded."));
      return;
    }
    const head = element("tr", {}, ...columns.map(([name, , format], index) => {
      const sorted = sort.by === index, cell = element("th", { className: format ? "number" : "", scope: "col" },
        button(name, {}, () => { sort.down = sorted ? !sort.down : Boolean(format); sort.by = index; paint(); byId(id).querySelectorAll("th button")[index]?.focus(); }));
      if (sorted) cell.setAttribute("aria-sort", sort.down ? "descending" : "ascending");
      return cell;
    }));
    const body = list.slice(0, TABLE_ROWS).map((row) => {
      const line = element("tr", {}, ...columns.map(([, value, format], index) => {
        const text = String((format ? format(value(row)) : value(row)) ?? "");
        return element("td", { className: format ? "number" : "place" }, index === 0 && options.choose ? button(text, { className: "link" }, () => options.choose(row)) : text);
      }));
      if (options.isSelected?.(row)) line.className = "chosen";
      return line;
    });
    box.replaceChildren(element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: `table ${id}` }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...body))));
    if (list.length > TABLE_ROWS) box.append(element("p", { className: "note" }, `${list.length - TABLE_ROWS} more rows: narrow the search; \u2018hipgrain placement --format=csv\u2019 has all`));
  };
  tables.push({ id, paint });
}

function paintTables() {
  if (!["tables", "residency"].includes(state.view)) return;
  for (const { id, paint } of tables) if (byId(state.view).contains(byId(id))) paint();
}

function startTables() {
  const amounts = [["high-water", (s) => s.peak, bytes], ["total", (s) => s.bytes, bytes], ["count", (s) => s.count, String], ["never freed", (s) => s.live_bytes, bytes], ["passed to kernels", (s) => s.used, bytes]];
  const process = model.several ? [["process", (s) => s.process.label]] : [];
  const empty = emptyFor("No allocation was recorded: only those of at least \u2018hipgrain record --threshold\u2019 bytes are, and those of HIP.");
  table("sites", [["where", placeText], ["call", (s) => s.api], ["kind", (s) => `${s.granularity}, ${s.kind}`], ...process, ["findings", (s) => s.findings.length, (n) => n ? String(n) : ""], ...amounts], model.sites,
    { choose: (s) => select({ site: s.id }), isSelected: (s) => selection.sites.has(s), process: (s) => s.process, text: (s) => s.stack.map(frameText).join("\n"), empty });
  const kinds = new Map();
  for (const s of model.sites) {
    const key = `${s.api}\n${s.granularity}\n${s.kind}\n${s.process.id}`;
    const sum = kinds.get(key) ?? { api: s.api, granularity: s.granularity, kind: s.kind, process: s.process, bytes: 0, count: 0, live_bytes: 0, used: 0 };
    for (const name of ["bytes", "count", "live_bytes", "used"]) sum[name] = s[name] === null || sum[name] === null ? null : sum[name] + s[name];
    kinds.set(key, sum);
  }
  table("kinds", [["call", (s) => s.api], ["granularity", (s) => s.granularity], ["kind", (s) => s.kind], ...process, ["total", (s) => s.bytes, bytes],
    ["count", (s) => s.count, String], ["never freed", (s) => s.live_bytes, bytes], ["passed to kernels", (s) => s.used, bytes]], [...kinds.values()], { process: (s) => s.process, empty });
  table("kernels", [["kernel", (k) => k.name], ["process", (k) => k.process.label], ["launches", (k) => k.launches, String], ["work-items", (k) => k.items, String]], model.kernels,
    { choose: (k) => select({ kernel: k.name }), isSelected: (k) => selection.kernels.has(k.name), process: (k) => k.process, empty: emptyFor("No launch was recorded.") });
  table("processes", [["process", (p) => p.label], ["command", (p) => p.command], ["launches", (p) => p.launches, String], ["peak of all memory", (p) => p.peak, bytes]], model.processes, { process: (p) => p });
  const sum = (name) => data.views.filter(Boolean).reduce((a, v) => v[name].map((n, i) => n + (a[i] ?? 0)), []);
  histogram("size-histogram", sum("size_histogram"), bytes);
  histogram("life-histogram", sum("lifetime_histogram"), time);
  histogram("transfer-histogram", sum("transfer_histogram"), bytes);
}

/* Class i counts values from 2^i to below 2^(i+1). */
function histogram(id, counts, format) {
  const most = Math.max(...counts, 1), box = byId(id);
  const first = counts.findIndex((n) => n), last = counts.findLastIndex((n) => n);
  if (first < 0) box.append(element("p", { className: "note" }, "Nothing was recorded."));
  for (let i = first; first >= 0 && i <= last; i++) {
    const bar = element("div", {}, element("b", {}, String(counts[i])));
    bar.style.setProperty("--share", `${counts[i] / most * 80}%`);
    box.append(element("span", {}, `${format(i ? 2 ** i : 0)} \u2013`), bar);
  }
}
