/**
 * The common part of all pictures. A picture is a pure view of a position, with the legal moves as choices. It knows
 * the look of a game and the notation of its moves; only the server knows whether a move is legal or good.
 */
import { say, set } from "../dom/build.js";
import { NONE } from "../play/legal_moves.js";
import { doing } from "../words/moves.js";
import { t } from "../words/words.js";

/** Returns a scene that nobody plays in. @type {(position: string, given?: Partial<Scene>) => Scene} */
export function still(position, given) {
  const nothing = { ghost: null, chosen: null, last: null, legal: NONE, winning: null, propose: () => {} };
  return { position, start: position, ...nothing, ...given };
}

// The paint of the parts of a drawing, in colours of tokens.css. What a class changes is in the style sheets.
/** Returns the paint of a line. @type {(color: string, width: number, dashes?: string, cap?: "round") => object} */
export function line(color, width, dashes, cap) {
  const stroke = `var(--${color})`;
  return { fill: "none", stroke, "stroke-width": width, "stroke-dasharray": dashes, "stroke-linecap": cap };
}

/** Returns the paint of an area and its edge. @type {(color: string, edge?: string, width?: number) => object} */
export function area(color, edge, width = 2) {
  return { fill: `var(--${color})`, ...(edge && { stroke: `var(--${edge})`, "stroke-width": width }) };
}

/** Returns the paint of letters in the middle. @type {(size: number, weight?: number, color?: string) => object} */
export function letters(size, weight = 600, color = "quiet") {
  return { fill: `var(--${color})`, "font-size": size, "font-weight": weight, "text-anchor": "middle" };
}

/** A phone that is held upright. */
export const narrow = matchMedia("(width <= 640px) and (orientation: portrait)");

let names = 0;

/** Returns an element id for `url(#…)` that is unique on the page. */
export function unique() {
  return `p${++names}`;
}

/**
 * Returns how a move is marked, where moves are. One that may be the first half of another one is not called lost.
 * @type {(scene: Scene, move: string | null, part?: boolean) => "" | "wins" | "loses"}
 */
function marked({ winning }, move, part) {
  if (!winning || !move) return "";
  return winning.allows(move) ? "wins" : part ? "" : "loses";
}

/** @type {(words: string, mark: ReturnType<typeof marked>) => string | null} */
const markedName = (words, mark) => (mark ? `${words}, ${t(`marks.${mark}`)}` : words || null);

/**
 * Makes an element the choice of a move, or of none.
 * @type {(element: Element, scene: Scene, move: string | null, how?: { label?: string, part?: boolean }) => boolean}
 */
export function offer(element, scene, move, { label, part } = {}) {
  const can = scene.legal.allows(move ?? "");
  const chosen = can && move === scene.chosen;
  const isButton = element instanceof HTMLButtonElement;
  const mark = marked(scene, move, part);
  const words = label ?? (move ? doing(move, scene.position) : "");
  set(element, {
    "data-move": can && (scene.prefix ?? "") + move,
    "data-part": can && part,
    role: can && "button",
    tabindex: can && (element.getAttribute("tabindex") ?? "-1"),
    // A button has a name also while it is no choice.
    "aria-label": (can || isButton) && markedName(words, can ? mark : ""),
    // A tooltip of SVG elements would be an element of its own, which covers the picture.
    title: can && element instanceof HTMLElement && words,
    "aria-pressed": can && String(chosen),
  });
  if (isButton) element.disabled = !can;
  element.classList.toggle("choice", can);
  element.classList.toggle("chosen", chosen);
  element.classList.toggle("winning", mark === "wins");
  element.classList.toggle("losing", can && mark === "loses");
  return can;
}

/**
 * The focus of a choice that goes away passes to the new one of the same move.
 * @type {(host: Element, choices: SVGElement[]) => void}
 */
export function replaceChoices(host, choices) {
  const active = document.activeElement;
  const move = active && host.contains(active) && active.getAttribute("data-move");
  host.replaceChildren(...choices);
  if (move) choices.find((choice) => choice.getAttribute("data-move") === move)?.focus({ preventScroll: true });
}

/**
 * Calls `show` with the choice under the pointer or the focus; with `null` once there is none.
 * @type {(host: Element, selector: string, show: (choice: Element | null) => void) => void}
 */
export function pointing(host, selector, show) {
  const enter = (/** @type {Event} */ { target }) => show(/** @type {Element} */ (target).closest(selector));
  const leave = () => show(null);
  for (const name of ["pointerover", "focusin"]) host.addEventListener(name, enter);
  for (const name of ["pointerleave", "focusout"]) host.addEventListener(name, leave);
}

/** Parses the named numbers of a position such as `time=15`. @type {(text: string) => Record<string, number>} */
export function fields(text) {
  /** @type {Record<string, number>} */
  const found = {};
  for (const [, name, value] of text.matchAll(/([a-z]+)=(\d+)/g)) found[name] = Number(value);
  return found;
}

/** Parses numbers separated by commas. @type {(text: string) => number[]} */
export function heaps(text) {
  const list = text.split(" ").find((word) => /^\d+(,\d+)*$/.test(word));
  return list ? list.split(",").map(Number) : [];
}

/** Formats a number in the reader's language. @param {number} value */
export function amount(value) {
  const locale = t("locale");
  if (format?.locale !== locale) format = { locale, numbers: new Intl.NumberFormat(locale) };
  return format.numbers.format(value);
}

/** Shows the number of a gauge, whose size follows from its length. @type {(text: Element, value: number) => void} */
export function showNumber(text, value) {
  const digits = amount(Math.round(value));
  say(text, digits);
  set(text, { "--letters": digits.length });
}

/** To make a format takes far longer than to use it. @type {{ locale: string, numbers: Intl.NumberFormat } | null} */
let format = null;
