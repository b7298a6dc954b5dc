/** Rows of turtles that are turned, and of pins that are knocked down. */
import { fill, h, s } from "../dom/build.js";
import { t } from "../words/words.js";
import { area, line, offer } from "./picture.js";

/**
 * Returns the picture of a row. `make` makes a place's parts, of which the first stands in the row's cell.
 * @typedef {{ scene: Scene, place: number, now: string[], ahead: string[] }} Shown   places count from 1
 * @param {string} tag
 * @param {(place: number, count: number) => { element: Element, button: Element, show: (shown: Shown) => void }} make
 * @param {...Element} notes   below the row
 */
function row(tag, make, ...notes) {
  const host = h(tag);
  const element = h("div.row-picture", host, ...notes);
  /** @type {ReturnType<typeof make>[]} */
  let drawn = [];

  /** @param {Scene} scene */
  function update(scene) {
    const now = [...scene.position];
    if (now.length !== drawn.length) {
      drawn = now.map((_, index) => make(index + 1, now.length));
      fill(host, ...drawn.map(({ element }) => element));
    }
    const ahead = scene.ghost ? [...scene.ghost] : now;
    const last = numbers(scene.last);
    drawn.forEach(({ button, show }, index) => {
      show({ scene, place: index + 1, now, ahead });
      button.classList.toggle("was-last", last.includes(index + 1));
    });
  }
  return { element, update };
}

/** @type {(kind: string, shape: Element, place: number) => HTMLButtonElement} */
function thing(kind, shape, place) {
  return h(`button.thing.${kind}`, shape, h("span.place", { "aria-hidden": "true" }, String(place)));
}

/** Turning Turtles: a turtle on its feet is turned, and optionally one to its left. */
export function turtles() {
  const note = h("p.quiet.picture-note", t("picture.turtle_hint"));
  const make = (/** @type {number} */ place) => {
    const button = thing("turtle", turtle(), place);
    return { element: button, button, show: (/** @type {Shown} */ shown) => show(button, shown) };
  };

  /** @type {(button: HTMLButtonElement, shown: Shown) => void} */
  function show(button, { scene, place, now, ahead }) {
    const { chosen, legal, winning } = scene;
    const [first, second] = numbers(chosen);
    const both = `turn ${first},${place}`;
    const pair = first > place && legal.allows(both);
    const label = !pair && now[place - 1] === "T" ? t("picture.turtle_back", { place }) : undefined;
    // A second click on the same turtle confirms the move of this turtle alone.
    if (chosen && place === first) offer(button, scene, chosen, { part: true });
    else offer(button, scene, pair ? both : `turn ${place}`, { label, part: true });
    button.classList.toggle("on-back", now[place - 1] === "T");
    const turns = ahead[place - 1] !== now[place - 1] || first === place || second === place;
    button.classList.toggle("turning", turns);
    const moves = [`turn ${place}`, both, ...now.map((_, other) => `turn ${place},${other + 1}`)];
    const wins = moves.some((move) => winning?.allows(move));
    button.classList.toggle("winning", !!wins);
    note.classList.toggle("hidden", legal.empty);
  }
  return row("div.things", make, note);
}

/** Returns the places that a move names. @param {string | null} move */
function numbers(move) {
  return (move?.match(/\d+/g) ?? []).map(Number);
}

function turtle() {
  return s(
    "svg.turtle-shape",
    { viewBox: "0 0 64 48", "aria-hidden": "true" },
    s(
      "g.turtle-body",
      s("path", {
        ...area("turtle-skin", "hull-line", 1.2),
        d: "M46 30c3-8 14-9 15-2 .6 5-6 8-13 7zM12 33l-3 9h8l3-8zM40 33l3 9h-8l-3-8zM8 31l-6 3 7 1z",
      }),
      s("path.turtle-shell", { d: "M6 34C6 18 17 8 28 8s22 10 22 26z", ...area("plant", "hull-line", 1.6) }),
      s("path", {
        d: "M6 34h44M28 8l-8 12 8 9 8-9zM20 20l-9 4M36 20l9 4M28 29v5",
        "stroke-opacity": 0.6,
        ...line("hull-line", 1.4),
      }),
      s("circle", { cx: 56, cy: 27, r: 1.7, ...area("hull-line") }),
    ),
  );
}

/** Kayles: one pin or two adjacent ones. */
export function pins() {
  return row("div.things.pins", (place, count) => {
    const button = thing("pin", pin(), place);
    const tie = s("path", { d: "M8 4v6q0 6 6 6h16q6 0 6-6V4M22 16v5", ...line("quiet", 2), stroke: "currentColor" });
    const link = h("button.pair", s("svg", { viewBox: "0 0 44 24", "aria-hidden": "true" }, tie));
    return {
      element: h("div.pin-cell", button, place < count && link),
      button,
      show({ scene, now, ahead }) {
        const [here, next] = now.slice(place - 1);
        const label = here === "x" ? undefined : t("picture.pin_down", { place });
        offer(button, scene, `knock ${place}`, { label });
        offer(link, scene, `knock ${place},${place + 1}`);
        button.classList.toggle("down", here !== "x");
        const falls = ahead[place - 1] !== "x" || numbers(scene.chosen).includes(place);
        button.classList.toggle("falling", here === "x" && falls);
        link.classList.toggle("hidden", here !== "x" || next !== "x");
      },
    };
  });
}

function pin() {
  return s(
    "svg.pin-shape",
    { viewBox: "0 0 32 72", "aria-hidden": "true" },
    s("path.pin-body", {
      ...area("hull-b", "hull-line", 1.6),
      d:
        "M16 3c6 0 8 5 7.4 10-.5 5-2.4 7-2 12 .5 7 6.6 12 6.6 25 0 9-3 15-5 19H9" +
        "C7 65 4 59 4 50c0-13 6.1-18 6.6-25 .4-5-1.5-7-2-12C8 8 10 3 16 3z",
    }),
    s("path", { d: "M9.600 22h12.800M10.200 27h11.600", ...line("hull-trim", 2.6) }),
  );
}
