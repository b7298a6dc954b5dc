/** The lobby: matches with a free seat, and matches that can be watched. */
import { NOTATION, choice, form, h, section, submit } from "../../dom/build.js";
import { typedCode } from "../../play/typed.js";
import { catalogue, knownGame } from "../../wire/catalogue.js";
import { hasProgram } from "../../wire/lobby_list.js";
import { changeSettings, settings } from "../../wire/storage.js";
import { title } from "../../words/games.js";
import { named, t } from "../../words/words.js";
import { authorOf, playerName } from "../player_names.js";
import { control } from "../durations.js";
import { entries } from "./entries.js";

const ROWS_MAX = 8;
/** The choices of the filter. */
const SHOWN = ["all", "people", "programs"];

/** @type {(page: Page, signal: AbortSignal) => HTMLElement} */
export function lobby(page, signal) {
  const { connection } = page;
  const open = entries(show);
  const playing = entries(show);
  const given = { autocapitalize: "characters", maxlength: 12, placeholder: "K7M2QX" };
  const code = h("input.code-field", { ...NOTATION, ...given });
  const find = () => {
    const wanted = typedCode(code.value);
    if (wanted) page.go(`/m/${encodeURIComponent(wanted)}`);
  };
  const finder = form("form.row", find, h("label.quiet", t("home.code"), " ", code), submit(t("home.code_go")));
  const { list: filter } = choice("lobby-show", "", named("home.show_", SHOWN), settings().lobby);
  filter.addEventListener("change", () => (changeSettings({ lobby: filter.value }), show()));
  const columns = h(
    "div.columns",
    h("div", h("h3", t("home.open")), open.element),
    h("div", h("h3", t("home.playing")), playing.element),
  );
  const shows = h("label.quiet", t("home.show"), " ", filter);
  const element = section("lobby", t("home.lobby"), finder, columns, shows);
  function show() {
    const { open: free = [], playing: played = [] } = connection.lobby ?? {};
    const wanted = filter.value;
    const shown = (/** @type {LobbyRow} */ row) => wanted === "all" || hasProgram(row) === (wanted === "programs");
    const mine = (/** @type {LobbyRow} */ { creator }) =>
      creator.kind === "human" && creator.guest === connection.guest;
    /** @type {(rows: LobbyRow[], act: (row: LobbyRow) => string) => import("./entries.js").Entry[]} */
    const list = (rows, act) =>
      rows
        .filter(shown)
        .slice(0, ROWS_MAX)
        .map((row) => entry(row, act(row)));
    open.show(
      list(free, (row) => t(mine(row) ? "own.open" : "match.take_seat")),
      t("home.open_none"),
    );
    playing.show(
      list(played, () => t("home.watch")),
      t("home.playing_none"),
    );
  }

  connection.addEventListener("lobby", show, { signal });
  connection.watchLobby(true);
  signal.addEventListener("abort", () => connection.watchLobby(false));
  catalogue().then(show, () => {});
  show();
  return element;
}

/** @type {(row: LobbyRow, act: string) => import("./entries.js").Entry} */
function entry({ code, game, time, first, creator, joiner, learning, programs }, act) {
  const one = playerName(creator);
  const who = joiner ? t("home.vs", { one, other: playerName(joiner, one) }) : one;
  const terms = [
    control(time),
    first === "joiner-chooses" && !joiner && t("home.you_choose"),
    learning && t("match.learning"),
    programs && !joiner && t("home.for_programs"),
  ];
  const about = [title(knownGame(game)), authorOf(creator), authorOf(joiner)];
  /** @param {(string | false | undefined)[]} parts */
  const listed = (parts) => parts.filter(Boolean).join(" · ");
  return { code, who, game: listed(about), state: listed(terms), act };
}
