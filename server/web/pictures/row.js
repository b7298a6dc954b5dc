/**
 * Rows of turtles that are turned, and of pins that are knocked down.
 *
 * @typedef {import("./picture.js").Scene} Scene
 */
import { fill, h, s } from "../dom/build.js";
import { t } from "../words/words.js";
import { offer } from "./picture.js";

/** Turning Turtles: a turtle on its feet is turned, and optionally one to its left. */
export function turtles() {
  const row = h("div.things");
  const note = h("p.quiet.picture-note", null, t("picture.turtle_hint"));
  const element = h("div.row-picture", null, row, note);
  /** @type {{ button: any, shell: any }[]} */
  let drawn = [];

  /** @param {Scene} scene */
  function update(scene) {
    const places = [...scene.position];
    if (places.length !== drawn.length) {
      drawn = places.map((_, index) => {
        const shell = turtle();
        return {
          shell,
          button: h(
            "button.thing.turtle",
            { type: "button" },
            shell,
            h("span.place", { "aria-hidden": "true" }, String(index + 1)),
          ),
        };
      });
      fill(row, ...drawn.map(({ button }) => button));
    }
    const ahead = scene.ghost ? [...scene.ghost] : places;
    const last = numbers(scene.last);
    const [first, second] = (scene.chosen ?? "").replace("turn ", "").split(",").map(Number);
    note.classList.toggle("hidden", scene.legal.empty);
    drawn.forEach(({ button }, index) => {
      const place = index + 1;
      const both = `turn ${first},${place}`;
      const pair = first > place && scene.legal.allows(both);
      const move = pair ? both : `turn ${place}`;
      offer(button, scene, move, {
        label: pair
          ? t("picture.turn_two", { place: first, other: place })
          : t(places[index] === "T" ? "picture.turtle_back" : "picture.turn", { place }),
        part: true,
      });
      button.classList.toggle("on-back", places[index] === "T");
      button.classList.toggle("was-last", last.includes(place));
      button.classList.toggle("turning", ahead[index] !== places[index] || first === place || second === place);
      if (scene.chosen && place === first) {
        // A second click on the same turtle confirms the move of this turtle alone.
        offer(button, scene, scene.chosen, { label: scene.chosen, part: true });
      }
      button.classList.toggle(
        "winning",
        !!scene.winning?.allows(`turn ${place}`) || (first > place && !!scene.winning?.allows(both)),
      );
    });
  }
  return { element, update };
}

/**
 * Returns the places that a move names.
 * @param {string | null} move
 */
function numbers(move) {
  return (move?.match(/\d+/g) ?? []).map(Number);
}

function turtle() {
  return s(
    "svg.turtle-shape",
    { viewBox: "0 0 64 48", "aria-hidden": "true" },
    s(
      "g.turtle-body",
      null,
      s("path.turtle-skin", {
        d: "M46 30c3-8 14-9 15-2 .6 5-6 8-13 7zM12 33l-3 9h8l3-8zM40 33l3 9h-8l-3-8zM8 31l-6 3 7 1z",
      }),
      s("path.turtle-shell", { d: "M6 34C6 18 17 8 28 8s22 10 22 26z" }),
      s("path.turtle-lines", { d: "M6 34h44M28 8l-8 12 8 9 8-9zM20 20l-9 4M36 20l9 4M28 29v5" }),
      s("circle.turtle-eye", { cx: 56, cy: 27, r: 1.7 }),
    ),
  );
}

/** Kayles: one pin or two adjacent ones. */
export function pins() {
  const row = h("div.things.pins");
  const element = h("div.row-picture", null, row);
  /** @type {{ button: any, link: any }[]} */
  let drawn = [];

  /** @param {Scene} scene */
  function update(scene) {
    const places = [...scene.position];
    if (places.length !== drawn.length) {
      drawn = places.map((_, index) => ({
        button: h(
          "button.thing.pin",
          { type: "button" },
          pin(),
          h("span.place", { "aria-hidden": "true" }, String(index + 1)),
        ),
        link: h(
          "button.pair",
          { type: "button" },
          s(
            "svg",
            { viewBox: "0 0 44 24", "aria-hidden": "true" },
            s("path", { d: "M8 4v6q0 6 6 6h16q6 0 6-6V4M22 16v5" }),
          ),
        ),
      }));
      fill(
        row,
        ...drawn.map(({ button, link }, index) =>
          h("div.pin-cell", null, button, index + 1 < drawn.length ? link : null),
        ),
      );
    }
    const ahead = scene.ghost ? [...scene.ghost] : places;
    const last = numbers(scene.last);
    drawn.forEach(({ button, link }, index) => {
      const place = index + 1;
      offer(button, scene, `knock ${place}`, {
        label: t(places[index] === "x" ? "picture.pin" : "picture.pin_down", { place }),
      });
      offer(link, scene, `knock ${place},${place + 1}`, {
        label: t("picture.pins", { place, other: place + 1 }),
      });
      const named = (scene.chosen ?? "").replace("knock ", "").split(",").map(Number);
      button.classList.toggle("down", places[index] !== "x");
      button.classList.toggle("was-last", last.includes(place));
      button.classList.toggle("falling", places[index] === "x" && (ahead[index] !== "x" || named.includes(place)));
      link.classList.toggle("apart", places[index] !== "x" || places[index + 1] !== "x");
    });
  }
  return { element, update };
}

function pin() {
  return s(
    "svg.pin-shape",
    { viewBox: "0 0 32 72", "aria-hidden": "true" },
    s("path.pin-body", {
      d:
        "M16 3c6 0 8 5 7.4 10-.5 5-2.4 7-2 12 .5 7 6.6 12 6.6 25 0 9-3 15-5 19H9" +
        "C7 65 4 59 4 50c0-13 6.1-18 6.6-25 .4-5-1.5-7-2-12C8 8 10 3 16 3z",
    }),
    s("path.pin-band", { d: "M9.600 22h12.800M10.200 27h11.600" }),
  );
}
