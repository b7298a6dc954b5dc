/**
 * The chat of a match: players among players, spectators among spectators. There are fixed phrases, and free text in
 * private matches. Messages are shown as text and can be muted.
 *
 * @import { FollowedMatch } from "../../wire/followed_match.js"
 * @import { ChatLine, State } from "../../wire/types.js"
 * @import { MatchProps } from "../match.js"
 */
import { fill, form, h } from "../../dom/build.js";
import { afterPaint } from "../../dom/frames.js";
import { refusalText } from "../../words/refused.js";
import { maybe, t } from "../../words/words.js";
import { guestName, other, seatHue, seatName } from "../player_names.js";

const PHRASES = ["hello", "good-luck", "well-played", "oh", "one-moment", "sorry", "thanks", "again", "bye"];
/** The longest message, as in PROTOCOL.md. */
const CHARS_MOST = 140;

export function chat() {
  const channel = h("span.quiet.channel");
  const list = h("div.chat-lines", { role: "log", "aria-live": "off", "aria-label": t("chat.title"), tabindex: 0 });
  const phrase = h(
    "select",
    { "aria-label": t("chat.phrase") },
    ...PHRASES.map((name) => h("option", { value: name }, phraseText(name))),
  );
  const text = h("input", {
    maxlength: CHARS_MOST,
    autocomplete: "off",
    "aria-label": t("chat.text"),
    placeholder: t("chat.text"),
  });
  const fault = h("p.fault", { role: "alert" });
  const mute = h("input", { type: "checkbox" });
  const phrases = form(
    "form.row.chat-form",
    () => send({ phrase: phrase.value }),
    phrase,
    h("button", { type: "submit" }, t("chat.say")),
  );
  const free = form(
    "form.row.chat-form",
    () => text.value.trim() && send({ text: text.value.trim() }),
    text,
    h("button", { type: "submit" }, t("chat.say")),
  );
  const element = h(
    "section.panel.chat",
    h("div.chat-head", h("h2", t("chat.title")), channel, h("label.check.mute", mute, h("span", t("chat.mute")))),
    list,
    phrases,
    free,
    fault,
  );
  /** The newest unread message, beside the boards of a small window. */
  const bubble = h("button.chat-bubble", { hidden: true, onclick: () => props?.sheets.open("chat") });
  /** @type {MatchProps | null} */
  let props = null;
  let shown = -1;
  // Reading a size lays the page out, so it is done when the frame has done this.
  const scrolling = afterPaint(() => (list.scrollTop = list.scrollHeight));

  /** @param {{ phrase: string } | { text: string }} content */
  function send(content) {
    if (!props) return;
    fill(fault);
    props.page.connection.request({ type: "chat", match: props.followed.match, ...content }).then(
      () => {
        if ("text" in content) text.value = "";
      },
      (error) => fill(fault, refusalText(error)),
    );
  }

  mute.addEventListener("change", () => props?.page.connection.mute(props.followed, mute.checked));

  /** @param {MatchProps} next */
  function update(next) {
    props = next;
    const { followed, state, page } = next;
    const count = followed.chat.length;
    const newest = followed.chat.at(-1)?.number ?? 0;
    const own = page.connection.guest;
    if (next.sheets.isOpen("chat") || followed.chat.at(-1)?.guest === own) seen.set(followed, newest);
    const here = t(followed.seat ? "chat.players" : "chat.spectators");
    if (channel.textContent !== here) channel.textContent = here;
    const last = unread(followed) ? followed.chat.at(-1) : undefined;
    bubble.hidden = !last;
    if (last) fill(bubble, ...wordsOf(last));
    element.hidden = !hasReader(followed);
    free.hidden = state.visibility !== "private";
    mute.checked = followed.muted;
    if (shown === newest && list.childElementCount) return;
    shown = newest;
    fill(list, ...(count ? followed.chat.map(row) : [h("p.quiet", t("chat.none"))]));
    if (count) scrolling.request();
    // Whoever comes late does not hear all that was said before.
    requestAnimationFrame(() => list.setAttribute("aria-live", "polite"));
  }

  /** @param {ChatLine} line */
  function row(line) {
    return h("p", ...wordsOf(line));
  }

  /** @param {ChatLine} line */
  function wordsOf({ guest, name, phrase, text }) {
    const own = guest === props?.page.connection.guest;
    const state = props?.state;
    const seat = state && seatOf(state, guest);
    return [
      h(
        "b",
        // Spectators have no colour.
        { "--hue": state && seat ? seatHue(state, seat) : null },
        own ? t("chat.you") : state && seat ? seatName(state, seat) : guestName(guest, name),
      ),
      " ",
      phrase ? phraseText(phrase) : (text ?? ""),
    ];
  }

  return { element, bubble, update, leave: scrolling.stop };
}

/**
 * Returns the seat of a guest; `undefined` for a spectator.
 * @type {(state: State, guest: string) => "creator" | "joiner" | undefined}
 */
function seatOf({ players }, guest) {
  return /** @type {const} */ (["creator", "joiner"]).find((seat) => {
    const player = players[seat];
    return player?.kind === "human" && player.guest === guest;
  });
}

/** The number of the newest message that was in sight, by match. @type {WeakMap<FollowedMatch, number>} */
const seen = new WeakMap();

/** Returns the number of unread messages. @param {FollowedMatch} followed */
export function unread(followed) {
  const newest = seen.get(followed) ?? 0;
  return followed.chat.filter(({ number }) => number > newest).length;
}

/**
 * Returns whether anybody can read what the viewer writes: a bot reads nothing, and spectators do not see players'
 * chat.
 * @param {FollowedMatch} followed
 */
export function hasReader({ seat, state }) {
  return !seat || state?.players[other(seat)]?.kind !== "bot";
}

/** @param {string} name */
function phraseText(name) {
  return maybe(`phrase.${name}`) ?? name;
}
