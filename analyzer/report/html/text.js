/* SPDX-License-Identifier: Apache-2.0 */
/* Elements and words. Everything shown comes out of the data as text: nothing in it is ever taken for markup. */
"use strict";
const byId = (id) => document.getElementById(id);

/* Children are elements or text. */
function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in node) node[key] = value; else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

function button(text, attributes, action) {
  const node = element("button", { type: "button", ...attributes }, text);
  node.addEventListener("click", action);
  return node;
}

function bytes(value) {
  if (value == null) return "?";
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let unit = 0;
  while (value >= 1024 && unit + 1 < units.length) { value /= 1024; unit++; }
  return (unit ? value.toFixed(2) : String(value)) + " " + units[unit];
}

function time(ns) {
  if (ns < 1e3) return Math.round(ns) + " ns";
  if (ns < 1e6) return (ns / 1e3).toFixed(2) + " \u00b5s";
  if (ns < 1e9) return (ns / 1e6).toFixed(2) + " ms";
  return (ns / 1e9).toFixed(3) + " s";
}

const count = (n, one, many = one + "s") => `${n} ${n === 1 ? one : many}`;
/* The end of a long path. */
const shortPath = (path) => path.length > 34 && path.split("/").length > 3 ? "\u2026/" + path.split("/").slice(-2).join("/") : path;
const fileName = (path) => path.slice(path.lastIndexOf("/") + 1);

/*
 * A name without its arguments and the type that templates return: "void sum<float>(float*, int)" as "sum<float>". Operators are
 * names. What is in <> and {} stays where that is not longer than a line of the list.
 */
const NAME_SHOWN = 56;
function shortName(name) {
  if (!shortName.known.has(name)) shortName.known.set(name, elide(shorten(name).replace(/^void (?=.)/, "")));
  return shortName.known.get(name);
}
shortName.known = new Map();

/* Arguments of templates as "...", the innermost first, until it is short. */
function elide(name) {
  for (let text = name; ;) {
    const next = text.length > NAME_SHOWN ? text.replace(/<(?!\u2026)(?:[^<>]|<\u2026>)*>/g, "<\u2026>") : text;
    if (next === text) return text;
    text = next;
  }
}

function shorten(name) {
  let depth = 0;
  for (let i = 0; i < name.length; i++) {
    const operator = /^operator(\(\)|[^\w\s(]{1,3})/.exec(name.startsWith("operator", i) ? name.slice(i, i + 14) : "");
    if (operator) i += operator[0].length - 1;
    else if ("<{".includes(name[i])) depth++;
    else if (">}".includes(name[i])) depth--;
    else if (name[i] === "(" && depth <= 0 && i && !name.startsWith("(anonymous", i)) return name.slice(0, i);
  }
  return name;
}

/* The value of a custom property of the style; read once for each theme. */
function color(name) {
  if (!(name in color.known)) color.known[name] = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return color.known[name];
}
color.known = {};
