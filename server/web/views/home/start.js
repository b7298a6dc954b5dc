/**
 * Making a match and going there.
 *
 * @typedef {object} Wish
 * @property {string} game
 * @property {"open" | "friend" | { bot: string }} against
 * @property {string} [position]
 * @property {"me" | "other" | "random"} [begins]
 * @property {"public" | "private"} [visibility]
 * @property {boolean} [learning]
 */

/**
 * @param {import("../../main.js").Page} page
 * @param {Wish} wish
 */
export async function start(page, { game, against, position, begins = "random", visibility = "public", learning = false }) {
  const accepted = await page.line.request({
    type: "create",
    game,
    start: position ? { position } : { random: {} },
    against,
    begins,
    visibility,
    ...(learning ? { learning } : {}),
  });
  page.line.follow(accepted);
  page.go(`/m/${accepted.code}`);
}
