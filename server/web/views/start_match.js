/** The start of a match. */

/**
 * Creates a match and opens its page.
 * @param {import("../main.js").Page} page
 * @param {{ game: string, opponent: "open" | "friend" | { bot: string }, [term: string]: any }} terms   as in `create`
 */
export async function start({ connection, go }, terms) {
  const usual = { start: { random: {} }, first: "random", visibility: "public" };
  const accepted = await connection.request({ type: "create", ...usual, ...terms });
  connection.follow(accepted);
  go(`/m/${accepted.code}`);
}
