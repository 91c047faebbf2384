/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of source with one of them marked, and a fix as a patch. */
"use strict";
const AROUND = 4;

const sourceLine = (file, line) => model.sources.get(file)?.[line];

/* `title`: what stands there. NULL without a file. */
function snippet(title, file, line, note) {
  if (!file) return null;
  const box = element("figure", { className: "snippet" }, element("figcaption", {}, element("b", {}, title), " ", element("span", { className: "mono", title: `${file}:${line}` }, `${shortPath(file)}:${line}`), note ? ` ${note}` : ""));
  if (sourceLine(file, line) === undefined) {
    box.append(element("p", { className: "note" }, emptyFor("The source file was not readable when the report was made.")));
    return box;
  }
  const code = element("code");
  for (let at = Math.max(1, line - AROUND); at <= line + AROUND; at++) {
    const text = sourceLine(file, at);
    if (text === undefined) continue;
    const row = element("span", { className: at === line ? "line marked" : "line" }, element("span", { className: "nr", "aria-hidden": "true" }, String(at)),
      at === line ? element("mark", {}, text || " ") : text || " ");
    code.append(row);
  }
  box.append(element("pre", { tabIndex: 0, role: "region", "aria-label": `${title}: ${file}:${line}` }, code));
  return box;
}

/* The lines of a file from `first` to `last`, with the edits: rows of a sign and a line. */
function editedRows(file, first, last, edits) {
  const rows = [];
  for (let at = first; at <= last; at++) {
    const text = sourceLine(file, at), here = edits.filter((e) => e.line === at);
    const inside = here.filter((e) => e.column).sort((a, b) => b.column - a.column);
    rows.push([inside.length ? "-" : " ", text]);
    if (inside.length) rows.push(["+", inside.reduce((line, e) => line.slice(0, e.column) + e.insert_after + line.slice(e.column), text)]);
    for (const e of here) if (!e.column) rows.push(["+", e.insert_after]);
  }
  return rows;
}

/* The edits of a file as the rows of a patch; those whose lines are near each other share a hunk. */
function patchOfFile(file, edits) {
  const path = file.replace(/^\/+/, ""), rows = [["-", `-- a/${path}`], ["+", `++ b/${path}`]];
  const lines = edits.map((e) => e.line).sort((a, b) => a - b);
  let shift = 0;
  for (let i = 0; i < lines.length; i++) {
    let first = lines[i], last = lines[i];
    while (i + 1 < lines.length && lines[i + 1] - last <= 6) last = lines[++i];
    /* As many lines before as behind: patch(1) takes fewer behind for the file's end. */
    const before = edits.some((e) => e.line === first && e.column) ? 3 : 2;
    for (let n = 0; n < before && sourceLine(file, first - 1) !== undefined; n++) first--;
    for (let n = 0; n < 3 && sourceLine(file, last + 1) !== undefined; n++) last++;
    const hunk = editedRows(file, first, last, edits), after = hunk.filter(([sign]) => sign !== "-").length;
    rows.push(["@", `@ -${first},${last - first + 1} +${first + shift},${after} @@`], ...hunk);
    shift += after - (last - first + 1);
  }
  return rows;
}

/* What the report says can be inserted, as a patch; null without that, or without the lines around it. */
function patchOf(f) {
  const edits = (f.cause_fix ? f.cause_edits : f.edits) ?? [];
  if (!edits.length || edits.some((e) => sourceLine(e.file, e.line) === undefined)) return null;
  return [...new Set(edits.map((e) => e.file))].flatMap((file) => patchOfFile(file, edits.filter((e) => e.file === file)));
}

async function copyText(text, from) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea", { value: text, ariaLabel: "text to copy" }); /* without permission, as in older browsers */
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const before = from.textContent;
  from.textContent = "Copied";
  setTimeout(() => { from.textContent = before; }, 1500);
}

function fixOf(f) {
  if (!f.fix) return null;
  const box = element("section", { className: "fix" }, element("h3", {}, "Fix"));
  const patch = patchOf(f);
  if (patch) {
    const text = patch.map(([sign, line]) => sign + line).join("\n") + "\n";
    const copy = button("Copy patch", { className: "copy" }, () => copyText(text, copy));
    const kinds = { "+": "added", "-": "removed", "@": "hunk" };
    box.append(copy, element("pre", { className: "diff", tabIndex: 0, role: "region", "aria-label": "patch" }, element("code", {}, ...patch.map(([sign, line]) =>
      element("span", { className: "line " + (/^(-- a|\+\+ b)\//.test(line) ? "hunk" : kinds[sign] ?? "") }, sign + line)))));
    box.append(element("p", { className: "note" }, "Apply with: patch -p1 -d /"));
  }
  const words = element("p", { className: "words" }, f.cause_fix ?? f.fix);
  const copy = button("Copy text", { className: "copy" }, () => copyText(f.cause_fix ?? f.fix, copy));
  if (!patch) box.append(copy);
  box.append(words);
  return box;
}
