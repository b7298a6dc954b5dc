/**
 * The lobby: matches with a free seat, and matches that can be watched. The server's list replaces the shown one, but
 * not while the mouse or the focus is in it; a row that is outdated meanwhile leads to a match that can still be
 * opened.
 *
 * @import { LobbyRow as Entry } from "../../wire/types.js"
 */
import { fill, form, h } from "../../dom/build.js";
import { catalogue, knownGame } from "../../wire/catalogue.js";
import { title } from "../../words/games.js";
import { t } from "../../words/words.js";
import { playerName } from "../player_names.js";
import { control } from "../durations.js";

/** The number of rows shown per list. */
const ROWS_MAX = 8;

/** @param {import("../../main.js").Page} page */
export function lobby(page) {
  const { connection } = page;
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
      h("h2", { id: "lobby-title" }, t("home.lobby")),
      form(
        "form.row",
        () => {
          const wanted = code.value.replace(/[^0-9a-z]/gi, "").toUpperCase();
          if (wanted) page.go(`/m/${encodeURIComponent(wanted)}`);
        },
        h("label.quiet", t("home.code"), " ", code),
        h("button", { type: "submit" }, t("home.code_go")),
      ),
    ),
    h("div.columns", h("div", h("h3", t("home.open")), open), h("div", h("h3", t("home.playing")), playing)),
  );
  /** The list under the mouse. @type {Element | null} */
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
    const list = connection.lobby;
    const mine = (/** @type {Entry} */ entry) =>
      entry.creator.kind === "human" && entry.creator.guest === connection.guest;
    rows(
      open,
      list?.open ?? [],
      t("home.open_none"),
      (entry) => (mine(entry) ? t("home.watch") : t("match.take_seat")),
      (entry) => playerName(entry.creator),
    );
    rows(
      playing,
      list?.playing ?? [],
      t("home.playing_none"),
      () => t("home.watch"),
      (entry) => t("home.vs", { one: playerName(entry.creator), other: playerName(entry.joiner) }),
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
    if (!entries.length) return fill(host, h("li.quiet.none", none));
    fill(
      host,
      ...entries
        .slice(0, ROWS_MAX)
        .map((entry) =>
          h(
            "li",
            h(
              "a.entry",
              { href: `/m/${entry.code}`, "data-go": true },
              h("span.entry-who", who(entry)),
              h("span.entry-game", title(knownGame(entry.game)), " ", h("code", entry.start)),
              control(entry.time) ? h("span.chip", control(entry.time)) : null,
              entry.first === "joiner-chooses" && !entry.joiner ? h("span.chip", t("home.you_choose")) : null,
              entry.learning ? h("span.chip.learning", t("match.learning")) : null,
              h("span.entry-act", act(entry)),
            ),
          ),
        ),
    );
  }

  connection.addEventListener("lobby", show);
  connection.watchLobby(true);
  catalogue().then(show, () => {});
  show();
  return {
    element,
    leave() {
      connection.removeEventListener("lobby", show);
      connection.watchLobby(false);
    },
  };
}
