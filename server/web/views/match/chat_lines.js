/** The lines of a match's chat in words, and which of them the viewer has read. */
import { h } from "../../dom/build.js";
import { seatOf } from "../../wire/followed_match.js";
import { maybe, t } from "../../words/words.js";
import { guestName, other, seatName } from "../player_names.js";

/** Returns who said a line, and what. @type {(view: ShownMatch, line: ChatLine) => any[]} */
export function wordsOf({ state, page }, { guest, name, phrase, text }) {
  const seat = seatOf(state, guest);
  const speaker = seat ? seatName(state, seat) : guestName(guest, name);
  // Spectators have no colour.
  const who = h(`b${seat ? `.${seat}` : ""}`, guest === page.connection.guest ? t("chat.you") : speaker);
  return [who, ": ", phrase ? phraseText(phrase) : (text ?? "")];
}

/** The number of the newest message that was in sight, by match. @type {WeakMap<FollowedMatch, number>} */
const seen = new WeakMap();

/** Notes that a message and all before it were in sight. @type {(followed: FollowedMatch, number: number) => void} */
export function read(followed, number) {
  seen.set(followed, number);
}

/** Returns the number of unread messages. @param {FollowedMatch} followed */
export function unread(followed) {
  const newest = seen.get(followed) ?? 0;
  return followed.chat.filter(({ number }) => number > newest).length;
}

/** A bot reads nothing, and spectators do not see players' chat. @param {FollowedMatch} followed */
export function hasReader({ seat, state }) {
  return !seat || state?.players[other(seat)]?.kind !== "bot";
}

/** Returns a fixed phrase in the viewer's language. @param {string} name */
export function phraseText(name) {
  return maybe(`phrase.${name}`) ?? name;
}
