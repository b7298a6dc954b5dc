/**
 * Arrow keys in any picture: they move the focus from a choice to the nearest one in that direction on the screen.
 * One choice at a time is in the tab order. Choices carry `data-move`, and `data-part` if the move may be the first
 * half of another one.
 */

/** @type {Record<string, [number, number]>} */
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/** The weight of a distance to the side against a distance ahead. */
const ASIDE = 2.5;

/** @typedef {Pick<import("./move_draft.js").MoveDraft, "choose" | "propose" | "clear">} Drafting */

/** @type {(host: HTMLElement, drafting: () => Drafting) => void} */
export function roving(host, drafting) {
  /** @param {Element} choice */
  const act = (choice) => {
    const move = choice.getAttribute("data-move");
    if (move) drafting()[choice.hasAttribute("data-part") ? "propose" : "choose"](move);
  };
  host.addEventListener("click", (event) => {
    const choice = /** @type {Element} */ (event.target).closest("[data-move]");
    if (choice && host.contains(choice)) act(choice);
  });
  host.addEventListener("keydown", (event) => {
    const here = /** @type {Element} */ (event.target).closest("[data-move]");
    if (!here) return;
    if ((event.key === "Enter" || event.key === " ") && !(here instanceof HTMLButtonElement)) {
      event.preventDefault();
      act(here);
    } else if (event.key === "Escape") {
      drafting().clear();
    } else if (DIRECTIONS[event.key]) {
      const next = nearest(host, here, DIRECTIONS[event.key]);
      if (next) {
        event.preventDefault();
        /** @type {HTMLElement} */ (next).focus();
      }
    }
  });
  host.addEventListener("focusin", (event) => {
    const here = /** @type {Element} */ (event.target).closest("[data-move]");
    if (here) enter(host, here);
  });
}

/** Puts one choice into the tab order. @type {(host: HTMLElement, preferred?: Element) => void} */
export function enter(host, preferred) {
  const choices = [...host.querySelectorAll("[data-move]")];
  const focused = choices.find((choice) => choice === document.activeElement);
  const stop =
    preferred ?? focused ?? choices.find((choice) => choice.getAttribute("aria-pressed") === "true") ?? choices[0];
  for (const choice of choices) {
    const index = choice === stop ? "0" : "-1";
    // Setting it, even to the same value, lays the page out.
    if (choice.getAttribute("tabindex") !== index) choice.setAttribute("tabindex", index);
  }
}

/** @type {(host: HTMLElement, here: Element, direction: [number, number]) => Element | null} */
function nearest(host, here, [dx, dy]) {
  const [x, y] = middle(here);
  /** @type {Element | null} */
  let best = null;
  let least = Infinity;
  for (const choice of host.querySelectorAll("[data-move]")) {
    if (choice === here) continue;
    const [u, v] = middle(choice);
    const ahead = (u - x) * dx + (v - y) * dy;
    const aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
    if (ahead <= 1) continue;
    const distance = ahead + ASIDE * aside;
    if (distance < least) [best, least] = [choice, distance];
  }
  return best;
}

/** @type {(element: Element) => [number, number]} */
function middle(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}
