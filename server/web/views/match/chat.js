/**
 * The chat of a match: players among players, spectators among spectators. There are fixed phrases, and free text in
 * private matches. Messages are shown as text and can be muted.
 *
 * @typedef {import("../match.js").MatchProps} MatchProps
 * @typedef {import("../../wire/types.js").ChatLine} ChatLine
 */
import { fill, h } from "../../dom/build.js";
import { refusal_text } from "../../words/refused.js";
import { maybe, t } from "../../words/words.js";

const PHRASES = ["hello", "good-luck", "well-played", "oh", "one-moment", "sorry", "thanks", "again", "bye"];
/** The longest message, as in PROTOCOL.md. */
const CHARS_MOST = 140;

export function chat() {
  const channel = h("span.quiet.channel");
  const list = h("ol.chat-lines", { role: "log", "aria-live": "polite", "aria-label": t("chat.title"), tabindex: 0 });
  const phrase = h(
    "select",
    { "aria-label": t("chat.phrase") },
    ...PHRASES.map((name) => h("option", { value: name }, phrase_text(name))),
  );
  const text = h("input", {
    maxlength: CHARS_MOST,
    autocomplete: "off",
    "aria-label": t("chat.text"),
    placeholder: t("chat.text"),
  });
  const fault = h("p.fault", { role: "alert" });
  const mute = h("input", { type: "checkbox" });
  const phrases = h(
    "form.row.chat-form",
    { onsubmit: send(() => ({ phrase: phrase.value })) },
    phrase,
    h("button", null, t("chat.say")),
  );
  const free = h(
    "form.row.chat-form",
    { hidden: true, onsubmit: send(() => ({ text: text.value.trim() })) },
    text,
    h("button", null, t("chat.say")),
  );
  const element = h(
    "details.panel.chat",
    null,
    h("summary", null, h("h2", null, t("chat.title")), " ", channel),
    list,
    phrases,
    free,
    fault,
    h("label.check", null, mute, h("span", null, t("chat.mute"))),
  );
  /** @type {MatchProps | null} */
  let props = null;
  let shown = -1;
  let seen = 0;

  /** @param {() => { phrase: string } | { text: string }} content_of */
  function send(content_of) {
    return (/** @type {Event} */ event) => {
      event.preventDefault();
      const content = content_of();
      if (!props || ("text" in content && !content.text)) return;
      fill(fault);
      props.page.connection.request({ type: "chat", match: props.followed.match, ...content }).then(
        () => {
          if ("text" in content) text.value = "";
        },
        (error) => fill(fault, refusal_text(error)),
      );
    };
  }

  mute.addEventListener("change", () => props?.page.connection.mute(props.followed, mute.checked));
  element.addEventListener("toggle", () => props && update(props));

  /** @param {MatchProps} next */
  function update(next) {
    props = next;
    const { followed, state } = next;
    const count = followed.chat.length;
    const newest = followed.chat.at(-1)?.number ?? 0;
    if (element.open) seen = newest;
    const unseen = followed.chat.filter(({ number }) => number > seen).length;
    const here = t(followed.seat ? "chat.players" : "chat.spectators");
    const label = unseen ? `${here} · ${t("chat.new", { count: unseen })}` : here;
    if (channel.textContent !== label) channel.textContent = label;
    channel.classList.toggle("unread", unseen > 0);
    free.hidden = state.visibility !== "private";
    mute.checked = followed.muted;
    if (shown === newest && list.childElementCount) return;
    shown = newest;
    fill(list, ...(count ? followed.chat.map(row) : [h("li.quiet", null, t("chat.none"))]));
    list.scrollTop = list.scrollHeight;
  }

  /** @param {ChatLine} line */
  function row({ name, phrase, text }) {
    return h("li", null, h("b", null, name), " ", phrase ? phrase_text(phrase) : (text ?? ""));
  }
  return { element, update };
}

/** @param {string} name */
function phrase_text(name) {
  return maybe(`phrase.${name}`) ?? name;
}
