/**
 * Which picture belongs to which game. A game that is not here gets the generic one and can be played at once.
 *
 * @typedef {import("./picture.js").Picture} Picture
 */
import { cockpit } from "./cockpit.js";
import { generic } from "./generic.js";

/** @type {Record<string, () => Picture>} */
const PICTURES = {
  "fib-fob": cockpit("stack", "dial", "tanks"),
  rooks: cockpit("stack"),
  "poker-nim": cockpit("dial"),
  "nim-muskateers": cockpit("tanks"),
};

/**
 * @param {string} game
 * @returns {Picture}
 */
export function picture(game) {
  return (PICTURES[game] ?? generic)();
}
