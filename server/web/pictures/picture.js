/**
 * What every picture is: a pure view of a position, with the legal moves as things to choose. A picture knows how a
 * game looks and how its moves are written; whether one is legal or good, only the server knows.
 *
 * @typedef {import("../play/legal_moves.js").Legal} Legal
 *
 * @typedef {object} Scene
 * @property {string} position
 * @property {string} start            the first position of the match: the scale of gauges
 * @property {string | null} ghost     the position after the chosen move
 * @property {string | null} chosen    the chosen move
 * @property {string | null} last      the move that led here
 * @property {Legal} legal             empty where there is nothing to choose
 * @property {Legal | null} winning    what wins, where that may be shown
 * @property {(move: string) => void} propose
 *
 * @typedef {{ element: HTMLElement | SVGElement, update: (scene: Scene) => void }} Picture
 */
import { set } from "../dom/build.js";
import { t } from "../words/words.js";

let names = 0;

/** A name for something that is referred to by `url(#…)`, once on a page. */
export function unique() {
  return `p${++names}`;
}

/**
 * Makes an element a choice, or none.
 * @param {Element} element
 * @param {Scene} scene
 * @param {string | null} move
 * @param {{ label?: string, part?: boolean }} [how]
 */
export function offer(element, scene, move, { label, part } = {}) {
  const can = move !== null && scene.legal.allows(move);
  const chosen = can && move === scene.chosen;
  set(element, {
    "data-move": can ? move : null,
    "data-part": can && part ? true : null,
    role: can ? "button" : null,
    tabindex: can ? (element.getAttribute("tabindex") ?? "-1") : null,
    "aria-label": can ? (label ?? move) : null,
    "aria-pressed": can ? String(chosen) : null,
  });
  if (element instanceof HTMLButtonElement) element.disabled = !can;
  element.classList.toggle("choice", can);
  element.classList.toggle("chosen", chosen);
  element.classList.toggle("winning", move !== null && !!scene.winning?.allows(move));
  return can;
}

/**
 * @param {string} text
 * @returns {Record<string, number>}
 */
export function fields(text) {
  /** @type {Record<string, number>} */
  const found = {};
  for (const [, name, value] of text.matchAll(/([a-z]+)=(\d+)/g)) found[name] = Number(value);
  return found;
}

/**
 * @param {string} text
 * @returns {number[]}
 */
export function heaps(text) {
  const list = text.split(" ").find((word) => /^\d+(,\d+)*$/.test(word));
  return list ? list.split(",").map(Number) : [];
}

/**
 * Numbers as people write them.
 * @param {number} value
 */
export function amount(value) {
  return value.toLocaleString(t("locale"));
}
