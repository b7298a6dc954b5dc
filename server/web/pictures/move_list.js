/**
 * Any game: its position as text and its moves as a list, made from the move families alone. A family with slots gets
 * a field for each. A game without a picture is played by this list, and a game with one has it as a second way to
 * enter moves.
 *
 * @import { ReadFamily } from "../play/legal_moves.js"
 */
import { changes, fill, h } from "../dom/build.js";
import { choices, fits, numberOf, textOf, written } from "../play/legal_moves.js";
import { t } from "../words/words.js";
import { offer, still } from "./picture.js";

/** The number of moves of one family that are shown as buttons; larger families get fields. */
const BUTTONS_MOST = 8;

export function generic() {
  const text = h("p.position-text");
  const list = moveList();
  const element = h("div.generic", text, list.element);
  return {
    element,
    /** @param {Scene} scene */
    update(scene) {
      fill(text, scene.ghost ? h("s", scene.position) : scene.position, scene.ghost ? h("b", scene.ghost) : null);
      list.update(scene);
    },
  };
}

/** Returns the list without the position, as it stands beside every picture. */
export function moveList() {
  const element = h("div.move-list");
  const hasOthers = changes();
  /** @type {{ button: HTMLButtonElement, move: () => string }[]} */
  let buttons = [];
  let scene = still("");

  /** @param {Scene} next */
  function update(next) {
    scene = next;
    if (hasOthers(next.legal.families)) {
      buttons = [];
      /** @type {Map<string, HTMLElement>} */
      const groups = new Map();
      for (const family of next.legal.families) {
        const verb = family.pieces[0].replace(/ .*/, "");
        const group = groups.get(verb) ?? h("div.move-group");
        groups.set(verb, group);
        group.append(...of(family));
      }
      fill(element, ...groups.values());
    }
    for (const { button, move } of buttons) offer(button, next, move(), { label: move() });
  }

  /** @param {ReadFamily} family */
  function of(family) {
    const few = choices(family, BUTTONS_MOST + 1);
    if (few.length > BUTTONS_MOST) return [fields(family)];
    return few.map((values) => {
      const move = written(family, values);
      const button = h("button.small.move", move);
      buttons.push({ button, move: () => move });
      return button;
    });
  }

  /** @param {ReadFamily} family */
  function fields(family) {
    const first = choices(family, 1)[0] ?? new Map();
    const values = new Map(first);
    const button = h("button.small.move");
    const inputs = family.slots.map((slot) => {
      const { name, letters, runs } = slot;
      const input = h("input.number", {
        ...(letters
          ? { maxlength: 1, autocapitalize: "off" }
          : { type: "number", inputmode: "numeric", min: runs[0]?.[0] ?? 0, max: runs.at(-1)?.[1] ?? 0 }),
        value: textOf(slot, values.get(name) ?? 0),
        "aria-label": `${family.pieces.join("…")}: ${t("picture.number", { name })}`,
      });
      input.addEventListener("input", () => {
        values.set(name, numberOf(slot, input.value));
        show();
      });
      input.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter" && fits(family, values)) scene.propose(written(family, values));
      });
      return input;
    });
    const move = () => written(family, values);
    function show() {
      button.textContent = move();
      offer(button, scene, move(), { label: move() });
      button.disabled = !fits(family, values);
    }
    buttons.push({ button, move });
    show();
    return h("div.move-fields", ...inputs, button);
  }
  return { element, update };
}
