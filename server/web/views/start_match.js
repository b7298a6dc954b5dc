/** The ways to a match, and to the analysis board. */
import { settings, storeInvitation, storeOnward } from "../wire/storage.js";
import { t } from "../words/words.js";

/**
 * Creates a match, with terms as in `create`, and opens its page. Resolves with its address once it is shown.
 * @typedef {{ game: string, opponent: "open" | "friend" | { bot: string }, [term: string]: any }} Terms
 * @type {(page: Page, terms: Terms, how?: { replace?: boolean }) => Promise<string>}
 */
export async function start({ connection, go }, terms, how) {
  // Strangers look for people in the lobby, so that a match against a bot is not listed unless somebody wants that.
  const visibility = typeof terms.opponent === "object" ? "private" : "public";
  const usual = { start: { random: {} }, first: "random", visibility };
  const body = /** @type {Extract<RequestBody, { type: "create" }>} */ ({ type: "create", ...usual, ...terms });
  const accepted = await connection.request(body);
  const { code } = connection.follow(accepted);
  if (typeof terms.opponent === "string") storeInvitation({ code, terms });
  const path = `/m/${code}`;
  await go(path, how);
  return path;
}

/**
 * Creates a match against a bot from a position, in which the guest moves first.
 * @type {(page: Page, game: string, position: string, bot?: string, more?: object) => Promise<string>}
 */
export function playFrom(page, game, position, bot = settings().level, more) {
  return start(page, { game, opponent: { bot }, first: "me", start: { position }, ...more });
}

/** Begins the flight of the day, or goes on with it. @param {Page} page */
export async function fly({ connection, go }) {
  const accepted = await connection.request({ type: "fly" });
  connection.follow(accepted);
  storeOnward({ match: `/m/${accepted.code}`, href: "/today", words: t("today.name") });
  await go(`/m/${accepted.code}`);
}

/** Returns the address of the analysis board with a position. @type {(game: string, position: string) => string} */
export function analysisOf(game, position) {
  return `/analyse?${new URLSearchParams({ game, position })}`;
}
