/** The icons on buttons, as SVG paths, because not every system font has characters for them. */
import { h, s } from "./build.js";

const SIGNS = {
  settings: "M4 7h9m5 0h2M4 17h2m5 0h9M13 4.5v5M9 14.5v5",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9.5a2.5 2.5 0 100 5 2.5 2.5 0 000-5z",
  link: "M10 14a4 4 0 006 0l3-3a4 4 0 00-6-6l-1 1M14 10a4 4 0 00-6 0l-3 3a4 4 0 006 6l1-1",
  done: "M5 12.5l4.5 4.5L19 7.5",
  first: "M18 5l-8 7 8 7zM6 5v14",
  back: "M16 5l-8 7 8 7z",
  on: "M8 5l8 7-8 7z",
  last: "M6 5l8 7-8 7zM18 5v14",
  play: "M7 4l12 8-12 8z",
  pause: "M8 5v14M16 5v14",
};

/** @type {(sign: keyof typeof SIGNS, words: string, onclick: () => unknown) => any} */
export function iconButton(sign, words, onclick) {
  return h("button.icon", { "aria-label": words, title: words, onclick }, icon(sign));
}

const OUTLINES = ["settings", "eye", "link", "done"];
const PAINT = { stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round" };

/** Returns an icon. @param {keyof typeof SIGNS} name */
export function icon(name) {
  const size = { viewBox: "0 0 24 24", width: 20, height: 20 };
  const path = s("path", { d: SIGNS[name], ...PAINT, fill: OUTLINES.includes(name) ? "none" : "currentColor" });
  return s("svg.sign", { ...size, "aria-hidden": "true" }, path);
}
