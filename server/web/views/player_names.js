/** The names of players. A nameless guest has a friendly one that follows from the id, the same for everybody. */
import { maybe, t } from "../words/words.js";

/** The letters of scripts that are written from the right. */
const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** The name that the server gives to guests without one. */
const UNNAMED = "Co-pilot";

/**
 * Returns the name of a player, or that the seat is free. A drawn name differs in its first word from the name of
 * the player who took the other seat first.
 * @type {(player: Player | undefined, beside?: string) => string}
 */
export function playerName(player, beside) {
  if (!player) return t("player.free");
  if (player.kind === "human") return guestName(player.guest, player.name, beside);
  if (player.kind === "program") return t("player.program", { name: guestName(player.guest, player.name, beside) });
  if (player.kind === "former") return t("player.former");
  return t("player.bot", { name: maybe(`pilot.${player.level}`) ?? player.level });
}

/** Returns the name of a bot's level. @param {string} level */
export function levelName(level) {
  return maybe(`home.level_${level}`) ?? level;
}

/**
 * Returns a friendly name if none was chosen, with another first word than the name `beside`.
 * @type {(guest: string, name: string | null | undefined, beside?: string) => string}
 */
export function guestName(guest, name, beside = "") {
  if (name && name !== UNNAMED) return isolated(name);
  if (!guest) return "…";
  const [first, second] = [t("names.first").split(" "), t("names.second").split(" ")];
  const number = hash(guest);
  const isTaken = first[number % first.length] === beside.split(" ")[0];
  const [chosen, rest] = [number + Number(isTaken), Math.floor(number / first.length)];
  return `${first[chosen % first.length]} ${second[rest % second.length]}`;
}

/** Returns the author that a program names; nothing for others. @param {Player | undefined} player */
export function authorOf(player) {
  if (player?.kind !== "program" || !player.author) return "";
  return t("player.by", { author: isolated(player.author) });
}

/**
 * Isolates a text from the right, as `bdi` does, so that it moves nothing beside it: names also stand in titles and
 * labels, where no element can.
 * @param {string} text
 */
function isolated(text) {
  return FROM_THE_RIGHT.test(text) ? `\u2068${text}\u2069` : text;
}

/** Of two players with one name, the joiner has a number. @type {(state: State, seat: Seat) => string} */
export function seatName({ players }, seat) {
  const creator = playerName(players.creator);
  const name = seat === "creator" ? creator : playerName(players.joiner, creator);
  const same = plain(name) === plain(creator);
  return seat === "joiner" && players[seat] && same ? `${name} 2` : name;
}

/** Returns a name without what hardly tells it from another one. @param {string} name */
function plain(name) {
  return name.normalize("NFKC").toLowerCase();
}

/** Returns a number that follows from a text (FNV-1a). @param {string} text */
function hash(text) {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value ^ (value >>> 15)) >>> 0;
}

/** Returns the other seat. @type {(seat: Seat) => Seat} */
export function other(seat) {
  return seat === "creator" ? "joiner" : "creator";
}
