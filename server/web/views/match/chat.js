/**
 * What is said beside a match: to players among players, to spectators among spectators. Fixed phrases, and free words
 * where the match is private. What others say is text, and can be silenced.
 *
 * @typedef {import("../match.js").Table} Table
 * @typedef {import("../../wire/types.js").Said} Said
 */
import { fill, h } from "../../dom/build.js";
import { refused } from "../../words/refused.js";
import { maybe, t } from "../../words/words.js";

const PHRASES = ["hello", "good-luck", "well-played", "oh", "one-moment", "sorry", "thanks", "again", "bye"];
/** As in PROTOCOL.md. */
const CHARS_MOST = 140;

export function talk() {
  const room = h("span.quiet.room");
  const list = h("ol.said", { role: "log", "aria-live": "polite", "aria-label": t("talk.title"), tabindex: 0 });
  const phrase = h(
    "select",
    { "aria-label": t("talk.phrase") },
    ...PHRASES.map((name) => h("option", { value: name }, words(name))),
  );
  const text = h("input", {
    maxlength: CHARS_MOST,
    autocomplete: "off",
    "aria-label": t("talk.text"),
    placeholder: t("talk.text"),
  });
  const fault = h("p.fault", { role: "alert" });
  const mute = h("input", { type: "checkbox" });
  const phrases = h(
    "form.row.say",
    { onsubmit: send(() => ({ phrase: phrase.value })) },
    phrase,
    h("button", null, t("talk.say")),
  );
  const free = h(
    "form.row.say",
    { hidden: true, onsubmit: send(() => ({ text: text.value.trim() })) },
    text,
    h("button", null, t("talk.say")),
  );
  const element = h(
    "details.panel.talk",
    null,
    h("summary", null, h("h2", null, t("talk.title")), " ", room),
    list,
    phrases,
    free,
    fault,
    h("label.check", null, mute, h("span", null, t("talk.mute"))),
  );
  /** @type {Table | null} */
  let table = null;
  let shown = -1;
  let seen = 0;

  /** @param {() => { phrase: string } | { text: string }} what */
  function send(what) {
    return (/** @type {Event} */ event) => {
      event.preventDefault();
      const said = what();
      if (!table || ("text" in said && !said.text)) return;
      fill(fault);
      table.page.line.request({ type: "chat", match: table.follow.match, ...said }).then(
        () => {
          if ("text" in said) text.value = "";
        },
        (why) => fill(fault, refused(why)),
      );
    };
  }

  mute.addEventListener("change", () => table?.follow.mute(mute.checked, table.page.line));
  element.addEventListener("toggle", () => table && update(table));

  /** @param {Table} next */
  function update(next) {
    table = next;
    const { follow, state } = next;
    const count = follow.said.length;
    const newest = follow.said.at(-1)?.number ?? 0;
    if (element.open) seen = newest;
    const unseen = follow.said.filter(({ number }) => number > seen).length;
    const here = t(follow.seat ? "talk.players" : "talk.spectators");
    const label = unseen ? `${here} · ${t("talk.new", { count: unseen })}` : here;
    if (room.textContent !== label) room.textContent = label;
    room.classList.toggle("news", unseen > 0);
    free.hidden = state.visibility !== "private";
    mute.checked = follow.muted;
    if (shown === newest && list.childElementCount) return;
    shown = newest;
    fill(list, ...(count ? follow.said.map(line) : [h("li.quiet", null, t("talk.none"))]));
    list.scrollTop = list.scrollHeight;
  }

  /** @param {Said} said */
  function line({ name, phrase, text }) {
    return h("li", null, h("b", null, name), " ", phrase ? words(phrase) : (text ?? ""));
  }
  return { element, update };
}

/** @param {string} name */
function words(name) {
  return maybe(`phrase.${name}`) ?? name;
}
