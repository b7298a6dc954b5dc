/**
 * The lobby: matches with a free seat, and matches that can be watched.
 *
 * @import { LobbyRow } from "../../wire/types.js"
 */
import { NOTATION, check, form, h, section, submit } from "../../dom/build.js";
import { catalogue, knownGame } from "../../wire/catalogue.js";
import { hasProgram } from "../../wire/lobby_list.js";
import { changeSettings, settings } from "../../wire/storage.js";
import { title } from "../../words/games.js";
import { t } from "../../words/words.js";
import { playerName } from "../player_names.js";
import { control } from "../durations.js";
import { entries } from "./entries.js";

/** The number of rows shown per list. */
const ROWS_MAX = 8;

/** @param {import("../../main.js").Page} page */
export function lobby(page) {
  const { connection } = page;
  const open = entries(show);
  const playing = entries(show);
  const given = { autocapitalize: "characters", maxlength: 12, placeholder: "K7M2QX" };
  const code = h("input.code-field", { ...NOTATION, ...given });
  const find = () => {
    const wanted = code.value.replace(/[^0-9a-z]/gi, "").toUpperCase();
    if (wanted) page.go(`/m/${encodeURIComponent(wanted)}`);
  };
  const finder = form("form.row", find, h("label.quiet", t("home.code"), " ", code), submit(t("home.code_go")));
  const hides = h("input", { type: "checkbox", checked: settings().hidePrograms });
  hides.addEventListener("change", () => (changeSettings({ hidePrograms: hides.checked }), show()));
  const columns = h(
    "div.columns",
    h("div", h("h3", t("home.open")), open.element),
    h("div", h("h3", t("home.playing")), playing.element),
  );
  const element = section("lobby", t("home.lobby"), finder, columns, check(hides, t("home.hide_programs")));
  function show() {
    const { open: free = [], playing: played = [] } = connection.lobby ?? {};
    const shown = (/** @type {LobbyRow} */ row) => !hides.checked || !hasProgram(row);
    const mine = (/** @type {LobbyRow} */ { creator }) =>
      creator.kind === "human" && creator.guest === connection.guest;
    /** @type {(row: LobbyRow) => import("./entries.js").Entry} */
    const openEntry = (row) => entry(row, playerName(row.creator), t(mine(row) ? "own.open" : "match.take_seat"));
    /** @type {(row: LobbyRow) => import("./entries.js").Entry} */
    const playedEntry = (row) => {
      const who = t("home.vs", { one: playerName(row.creator), other: playerName(row.joiner) });
      return entry(row, who, t("home.watch"));
    };
    open.show(free.filter(shown).slice(0, ROWS_MAX).map(openEntry), t("home.open_none"));
    playing.show(played.filter(shown).slice(0, ROWS_MAX).map(playedEntry), t("home.playing_none"));
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

/** @type {(row: LobbyRow, who: string, act: string) => import("./entries.js").Entry} */
function entry({ code, game, time, first, joiner, learning, programs }, who, act) {
  const terms = [
    control(time),
    first === "joiner-chooses" && !joiner && t("home.you_choose"),
    learning && t("match.learning"),
    programs && !joiner && t("home.for_programs"),
  ];
  const content = [
    h("span.entry-who", who),
    h("span.entry-game", title(knownGame(game))),
    h("span.entry-state", terms.filter(Boolean).join(" · ")),
    h("span.entry-act", act),
  ];
  return { code, content };
}
