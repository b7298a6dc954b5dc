/**
 * The names of players.
 *
 * @typedef {import("../wire/types.js").Player} Player
 */
import { t } from "../words/words.js";

/**
 * Returns the name of a player, or that the seat is free.
 * @param {Player | null | undefined} player
 */
export function player_name(player) {
  if (!player) return t("player.free");
  if (player.kind === "human") return player.name;
  const word = /** @type {import("../words/words.js").Word} */ (`home.level_${player.level}`);
  return t("player.bot", { level: t(word) });
}

/**
 * Returns the other seat.
 * @param {"creator" | "joiner"} seat
 * @returns {"creator" | "joiner"}
 */
export function other(seat) {
  return seat === "creator" ? "joiner" : "creator";
}
