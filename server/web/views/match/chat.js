/**
 * The chat of a match: players among players, spectators among spectators. There are fixed phrases, and free text in
 * private matches. Messages are shown as text and can be muted.
 */
import { fill, form, h, say, submit } from "../../dom/build.js";
import { afterPaint } from "../../dom/frames.js";
import { refusalText } from "../../words/refused.js";
import { t } from "../../words/words.js";
import { hasReader, phraseText, read, wordsOf } from "./chat_lines.js";

const PHRASES = ["hello", "good-luck", "well-played", "oh", "one-moment", "sorry", "thanks", "again", "bye"];
/** The longest message, as in PROTOCOL.md. */
const CHARS_MOST = 140;

/** @param {ShownMatch} view */
export function chat(view) {
  const channel = h("span.quiet.channel");
  const list = h("div.chat-lines", { role: "log", "aria-live": "off", "aria-label": t("chat.title"), tabindex: 0 });
  const options = PHRASES.map((name) => h("option", { value: name }, phraseText(name)));
  const phrase = h("select", { "aria-label": t("chat.phrase") }, ...options);
  const words = t("chat.text");
  const text = h("input", { maxlength: CHARS_MOST, autocomplete: "off", "aria-label": words, placeholder: words });
  const fault = h("p.fault", { role: "alert" });
  const mute = h("input", { type: "checkbox" });
  const sendPhrase = () => send({ phrase: /** @type {ChatPhrase} */ (phrase.value) });
  const sendText = () => text.value.trim() && send({ text: text.value.trim() });
  const phrases = form("form.row.chat-form", sendPhrase, phrase, submit(t("chat.say")));
  const free = form("form.row.chat-form", sendText, text, submit(t("chat.say")));
  const muting = h("label.check.mute", mute, h("span", t("chat.mute")));
  const head = h("div.chat-head", h("h2", t("chat.title")), channel, muting);
  const element = h("section.panel.chat", head, list, phrases, free, fault);
  let shown = -1;
  // Reading a size lays the page out, so it is done when the frame has done this.
  const scrolling = afterPaint(() => (list.scrollTop = list.scrollHeight));

  /** @param {{ phrase: ChatPhrase } | { text: string }} content */
  function send(content) {
    fill(fault);
    const sent = () => {
      if ("text" in content) text.value = "";
    };
    const { page, followed } = view;
    const answer = page.connection.request({ type: "chat", match: followed.match, ...content });
    answer.then(sent, (error) => fill(fault, refusalText(error)));
  }

  mute.addEventListener("change", () => view.page.connection.mute(view.followed, mute.checked));

  function update() {
    const { followed, state, page } = view;
    const last = followed.chat.at(-1);
    const newest = last?.number ?? 0;
    if (view.sheets.isOpen("chat") || last?.guest === page.connection.guest) read(followed, newest);
    say(channel, t(followed.seat ? "chat.players" : "chat.spectators"));
    element.hidden = !hasReader(followed);
    free.hidden = state.visibility !== "private";
    mute.checked = followed.muted;
    if (shown === newest && list.childElementCount) return;
    shown = newest;
    fill(list, last ? followed.chat.map((line) => h("p", ...wordsOf(view, line))) : h("p.quiet", t("chat.none")));
    if (last) scrolling.request();
    // Whoever comes late does not hear all that was said before.
    requestAnimationFrame(() => list.setAttribute("aria-live", "polite"));
  }

  return { element, update, leave: scrolling.stop };
}
