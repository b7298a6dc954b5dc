/**
 * What players are called.
 *
 * @typedef {import("../wire/types.js").Player} Player
 */
import { t } from "../words/words.js";

/** @param {Player | null | undefined} player */
export function called(player) {
  if (!player) return t("player.free");
  if (player.kind === "human") return player.name;
  const word = /** @type {import("../words/words.js").Word} */ (`home.level_${player.level}`);
  return t("player.bot", { level: t(word) });
}

/**
 * @param {"creator" | "joiner"} seat
 * @returns {"creator" | "joiner"}
 */
export function other(seat) {
  return seat === "creator" ? "joiner" : "creator";
}
