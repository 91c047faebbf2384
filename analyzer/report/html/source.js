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

/*
 * A fix that says which line to insert, and where, as a patch; null for others, and where the source has something else
 * there than a complete statement.
 */
function patchOf(f) {
  const [, file, number, code] = /^insert after (.+):(\d+): ([^\n]+;)(?:\n|$)/.exec(f.fix ?? "") ?? [];
  const line = Number(number), text = file && sourceLine(file, line);
  if (!text || !/[;}]\s*(\/\/.*|\/\*.*\*\/\s*)?$/.test(text)) return null;
  const rows = [];
  let first = line;
  while (first > 1 && line - first < 3 && sourceLine(file, first - 1) !== undefined) first--;
  for (let at = first; at <= line; at++) rows.push([" ", sourceLine(file, at)]);
  rows.push(["+", /^\s*/.exec(text)[0] + code]);
  for (let at = line + 1; at <= line + 3 && sourceLine(file, at) !== undefined; at++) rows.push([" ", sourceLine(file, at)]);
  const path = file.replace(/^\/+/, "");
  return [["-", `-- a/${path}`], ["+", `++ b/${path}`], ["@", `@ -${first},${rows.length - 1} +${first},${rows.length} @@`], ...rows];
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
    box.append(copy, element("pre", { className: "diff", tabIndex: 0, role: "region", "aria-label": "patch" }, element("code", {}, ...patch.map(([sign, line], i) =>
      element("span", { className: "line " + (i < 2 ? "hunk" : kinds[sign] ?? "") }, sign + line)))));
    box.append(element("p", { className: "note" }, "Apply with: patch -p1 -d /"));
  }
  const words = element("p", { className: "words" }, f.cause_fix ?? f.fix);
  const copy = button("Copy text", { className: "copy" }, () => copyText(f.cause_fix ?? f.fix, copy));
  if (!patch) box.append(copy);
  box.append(words);
  return box;
}
