/** The animation on the start page: a ship that flies home again and again through a fixed list of positions. */
import { stillness } from "../../dom/motion.js";
import { still } from "../../pictures/picture.js";
import { LegalMoves } from "../../play/legal_moves.js";

const POSITIONS = ["g7@7", "g7@5", "c7@5", "c4@5", "c4@2", "a4@2", "a4@1", "a1@1"];
const STAY_MS = 2_600;

/** @type {(picture: Picture, signal: AbortSignal) => void} */
export function demo(picture, signal) {
  let step = 1;
  const show = () => {
    const position = POSITIONS[step];
    const [, file, rank, board] = /^(.)(.)@(.)$/.exec(position) ?? ["", "a", "1", "1"];
    // The squares that a rook could reach, so that the picture shows moves.
    const before = String.fromCharCode(file.charCodeAt(0) - 1);
    const legal = new LegalMoves([
      ...(file > "a" ? [`ship {a..${before}}${rank}@${board}`] : []),
      `ship ${file}{1..${Number(rank) - 1}}@${board}`,
      `ship ${file}${rank}@{1..${Number(board) - 1}}`,
    ]);
    picture.update(still(position, { start: POSITIONS[0], legal }));
    for (const choice of picture.element.querySelectorAll("[tabindex]")) choice.removeAttribute("tabindex");
  };
  show();
  const timer = setInterval(() => {
    if (document.hidden || stillness()) return;
    step = (step + 1) % POSITIONS.length;
    show();
  }, STAY_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
}
