/**
 * Creates a match and opens its page.
 *
 * @typedef {object} MatchSetup
 * @property {string} game
 * @property {"open" | "friend" | { bot: string }} opponent
 * @property {string} [position]
 * @property {"me" | "other" | "random" | "choose"} [first]
 * @property {import("../wire/types.js").TimeControl} [time]
 * @property {number} [graceMs]
 * @property {"public" | "private"} [visibility]
 * @property {boolean} [learning]
 */

/** @type {(page: import("../main.js").Page, setup: MatchSetup) => Promise<void>} */
export async function start(
  page,
  { game, opponent, position, first = "random", visibility = "public", learning = false, time = "none", graceMs },
) {
  const accepted = await page.connection.request({
    type: "create",
    game,
    start: position ? { position } : { random: {} },
    opponent,
    first,
    visibility,
    ...(learning ? { learning } : {}),
    ...(time === "none" ? {} : { time }),
    ...(graceMs ? { grace_ms: graceMs } : {}),
  });
  page.connection.follow(accepted);
  page.go(`/m/${accepted.code}`);
}
