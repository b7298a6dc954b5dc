/** The start of a match. */
import { storeInvitation } from "../wire/storage.js";

/**
 * Creates a match and opens its page.
 * @param {import("../main.js").Page} page
 * @param {{ game: string, opponent: "open" | "friend" | { bot: string }, [term: string]: any }} terms   as in `create`
 * @param {{ replace?: boolean }} [how]
 */
export async function start({ connection, go }, terms, how) {
  const usual = { start: { random: {} }, first: "random", visibility: "public" };
  const accepted = await connection.request({ type: "create", ...usual, ...terms });
  connection.follow(accepted);
  if (typeof terms.opponent === "string") storeInvitation({ code: accepted.code, terms });
  go(`/m/${accepted.code}`, how);
}

/** Begins the flight of the day, or goes on with it. @param {import("../main.js").Page} page */
export async function fly({ connection, go }) {
  const accepted = await connection.request({ type: "fly" });
  connection.follow(accepted);
  go(`/m/${accepted.code}`);
}
