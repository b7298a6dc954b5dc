/**
 * The picture on the start page: a ship on its way home, over and over. No game is played; these are places in a row.
 */
import { stillness } from "../../dom/motion.js";
import { Legal } from "../../play/legal_moves.js";

const PLACES = ["g7@7", "g7@5", "c7@5", "c4@5", "c4@2", "a4@2", "a4@1", "a1@1"];
const STAY_MS = 2_600;

/** @param {import("../../pictures/picture.js").Picture} picture */
export function demo(picture) {
  let step = 1;
  const show = () => {
    const position = PLACES[step];
    const [, file, rank, board] = /^(.)(.)@(.)$/.exec(position) ?? ["", "a", "1", "1"];
    // What a rook could reach from here, so that the picture shows what a move looks like.
    const pattern = "ship ";
    const reach = [
      ...[..."abcdefgh"].filter((other) => other < file).map((other) => `${pattern}${other}${rank}@${board}`),
      ...[..."12345678"].filter((other) => other < rank).map((other) => `${pattern}${file}${other}@${board}`),
      ...[..."12345678"].filter((other) => other < board).map((other) => `${pattern}${file}${rank}@${other}`),
    ];
    const legal = new Legal(reach.map((pattern) => ({ pattern })));
    picture.update({
      position,
      start: PLACES[0],
      ghost: null,
      chosen: null,
      last: null,
      legal,
      winning: null,
      propose: () => {},
    });
    for (const choice of picture.element.querySelectorAll("[tabindex]")) choice.removeAttribute("tabindex");
  };
  show();
  const timer = setInterval(() => {
    if (document.hidden || stillness()) return;
    step = (step + 1) % PLACES.length;
    show();
  }, STAY_MS);
  return { stop: () => clearInterval(timer) };
}
