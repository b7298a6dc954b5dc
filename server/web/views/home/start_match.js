/**
 * Making a match and going there.
 *
 * @typedef {object} Wish
 * @property {string} game
 * @property {"open" | "friend" | { bot: string }} against
 * @property {string} [position]
 * @property {"me" | "other" | "random" | "choose"} [begins]
 * @property {import("../../wire/types.js").TimeControl} [time]
 * @property {number} [grace_ms]
 * @property {"public" | "private"} [visibility]
 * @property {boolean} [learning]
 */

/**
 * @param {import("../../main.js").Page} page
 * @param {Wish} wish
 */
export async function start(
  page,
  { game, against, position, begins = "random", visibility = "public", learning = false, time = "none", grace_ms },
) {
  const accepted = await page.line.request({
    type: "create",
    game,
    start: position ? { position } : { random: {} },
    opponent: against,
    first: begins,
    visibility,
    ...(learning ? { learning } : {}),
    ...(time === "none" ? {} : { time }),
    ...(grace_ms ? { grace_ms } : {}),
  });
  page.line.follow(accepted);
  page.go(`/m/${accepted.code}`);
}
