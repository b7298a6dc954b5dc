/**
 * Who waits for somebody, and what can be watched. The list is the server's and renews itself, but never under a
 * hand: an entry that has gone meanwhile leads to a match that can still be looked at.
 *
 * @typedef {import("../../wire/types.js").LobbyEntry} Entry
 */
import { fill, h } from "../../dom/build.js";
import { catalogue } from "../../wire/catalogue.js";
import { title } from "../../words/games.js";
import { t } from "../../words/words.js";
import { called } from "../player_names.js";
import { control } from "../durations.js";

const SHOWN_MOST = 8;

/** @param {import("../../main.js").Page} page */
export function lobby(page) {
  const { line } = page;
  const open = h("ul.entries");
  const playing = h("ul.entries");
  const code = h("input.code-field", {
    maxlength: 12,
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
    "aria-label": t("home.code_label"),
    placeholder: "K7M2QX",
  });
  const element = h(
    "section.lobby",
    { "aria-labelledby": "lobby-title" },
    h(
      "div.section-head",
      null,
      h("h2", { id: "lobby-title" }, t("home.lobby")),
      h(
        "form.row",
        {
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            const wanted = code.value.replace(/[\s-]/g, "").toUpperCase();
            if (wanted) page.go(`/m/${encodeURIComponent(wanted)}`);
          },
        },
        h("label.quiet", null, t("home.code"), " ", code),
        h("button", null, t("home.code_go")),
      ),
    ),
    h(
      "div.columns",
      null,
      h("div", null, h("h3", null, t("home.open")), open),
      h("div", null, h("h3", null, t("home.playing")), playing),
    ),
  );
  /** @type {Map<string, string>} */
  const titles = new Map();
  /** The list that a mouse is over. @type {Element | null} */
  let held = null;
  for (const host of [open, playing]) {
    host.addEventListener(
      "pointerenter",
      (/** @type {PointerEvent} */ event) => (held = event.pointerType === "mouse" ? host : null),
    );
    host.addEventListener("pointerleave", () => {
      held = null;
      show();
    });
    host.addEventListener("focusout", () => requestAnimationFrame(show));
  }

  function show() {
    const list = line.lobby;
    const mine = (/** @type {Entry} */ entry) => entry.creator.kind === "human" && entry.creator.guest === line.guest;
    rows(
      open,
      list?.open ?? [],
      t("home.open_none"),
      (entry) => (mine(entry) ? t("home.watch") : t("home.join")),
      (entry) => called(entry.creator),
    );
    rows(
      playing,
      list?.playing ?? [],
      t("home.playing_none"),
      () => t("home.watch"),
      (entry) => t("home.vs", { one: called(entry.creator), other: called(entry.joiner) }),
    );
  }

  /**
   * @param {HTMLElement} host
   * @param {Entry[]} entries
   * @param {string} none
   * @param {(entry: Entry) => string} act
   * @param {(entry: Entry) => string} who
   */
  function rows(host, entries, none, act, who) {
    if (host.querySelector(".entry") && (held === host || host.contains(document.activeElement))) return;
    if (!entries.length) return fill(host, h("li.quiet.none", null, none));
    fill(
      host,
      ...entries
        .slice(0, SHOWN_MOST)
        .map((entry) =>
          h(
            "li",
            null,
            h(
              "a.entry",
              { href: `/m/${entry.code}`, "data-go": true },
              h("span.entry-who", null, who(entry)),
              h("span.entry-game", null, titles.get(entry.game) ?? entry.game, " ", h("code", null, entry.start)),
              control(entry.time) ? h("span.chip", null, control(entry.time)) : null,
              entry.first === "joiner-chooses" && !entry.joiner ? h("span.chip", null, t("home.you_choose")) : null,
              entry.learning ? h("span.chip.learning", null, t("home.for_learning")) : null,
              h("span.entry-act", null, act(entry)),
            ),
          ),
        ),
    );
  }

  line.addEventListener("lobby", show);
  line.watchLobby(true);
  catalogue().then(
    (games) => {
      for (const game of games) titles.set(game.id, title(game));
      show();
    },
    () => {},
  );
  show();
  return {
    element,
    leave() {
      line.removeEventListener("lobby", show);
      line.watchLobby(false);
    },
  };
}
