/**
 * The actions of users on the page, by mouse and keyboard.
 *
 * @typedef {import("playwright-core").Page} Page
 */

/** The place of "30 s per move" in the form's list of times. */
export const EACH_30_S = 4;

/**
 * Waits until the page is connected. On a phone the line of a running match lies over the lamp that says so.
 * @param {Page} page
 */
export async function online(page) {
  await page.waitForSelector(".connection-state.online", { state: "attached" });
}

/**
 * Opens the form for a new match, on the start page, and chooses in its lists, by the methods that Playwright and the
 * WebDriver client have.
 * @param {any} page
 * @param {Record<string, string>} [choices] by the lists' names
 * @param {string} [position] the start, unless it is a random one
 */
export async function fillForm(page, choices = {}, position = "") {
  await page.waitForFunction(() => document.querySelectorAll("#create-game option").length > 1);
  await page.click(".more-options");
  await page.evaluate(
    (/** @type {[string, string][]} */ chosen) => {
      for (const [name, value] of chosen) {
        const list = /** @type {HTMLSelectElement} */ (document.querySelector(`#create-${name}`));
        list.value = value;
        list.dispatchEvent(new Event("change", { bubbles: true }));
      }
    },
    Object.entries({ ...choices, ...(position && { start: "typed" }) }),
  );
  if (position) await page.fill("#create-position", position);
}

/**
 * Fills the form for a new match and starts it.
 * @param {Page} page
 */
export async function create(
  page,
  {
    game = "fib-fob",
    position = "",
    opponent = "bot",
    level = "casual",
    first = "me",
    learning = false,
    hidden = false,
    time = 0,
    grace = 0,
  } = {},
) {
  await page.goto("/");
  await fillForm(page, { game, opponent: opponent === "bot" ? level : opponent, first }, position);
  if (time) await page.selectOption("#create-time", { index: time });
  if (grace) {
    await page.evaluate((grace) => (document.querySelector("#create-grace option").value = String(grace)), grace);
  }
  if (learning) await page.check("input[name=learning]");
  await page.setChecked("input[name=private]", hidden);
  await page.click(".create-form button.primary");
  await page.waitForSelector(".match");
  return new URL(page.url()).pathname;
}

/**
 * Starts a match in which a friend takes the other seat, and waits until it is the turn of the one who invites.
 * Returns its path.
 * @param {Page} page
 * @param {Page} friend
 * @param {{ game: string, position: string }} options
 */
export async function createWith(page, friend, options) {
  const path = await create(page, { ...options, opponent: "friend" });
  await friend.goto(path);
  await friend.click(".take-seat");
  await myTurn(page);
  return path;
}

/**
 * Changes the viewer's name in the settings, by the methods that Playwright and the WebDriver client have.
 * @param {any} page
 * @param {string} name
 */
export async function rename(page, name) {
  await page.click(".top .icon");
  await page.fill("#settings-name", name);
  await page.press("#settings-name", "Enter");
}

/** @param {Page} page */
export function myTurn(page) {
  return page.waitForSelector(".stage.mine [data-move]", { state: "attached" });
}

/**
 * Clicks a move in the picture, waits for its preview, and plays it.
 * @param {Page} page
 * @param {string} move
 */
export async function click(page, move) {
  const count = await plies(page);
  const choice = page.locator(`.stage [data-move="${move}"]`).first();
  // Only the lower edge of a coin in a pile is visible; the coin rises under the mouse, its hit area does not.
  const coin = choice.locator(".coin-hit");
  const box = (await coin.count()) ? await coin.boundingBox() : null;
  if (box) await coin.click({ position: { x: box.width / 2, y: box.height - 4 } });
  else await choice.click();
  await page.waitForFunction((move) => document.querySelector(".bar b")?.title === move, move);
  await page.waitForFunction(() => document.querySelector(".bar .quiet")?.textContent !== "");
  await page.click(".bar .primary");
  await page.waitForFunction((count) => document.querySelectorAll(".ply").length > count, count);
}

/**
 * Turns the dial by a key and plays the move.
 * @param {Page} page
 * @param {string} key
 */
export async function turn(page, key) {
  const count = await plies(page);
  await page.press(".dial", key);
  await page.click(".bar .primary");
  await page.waitForFunction((count) => document.querySelectorAll(".ply").length > count, count);
}

/** @param {Page} page */
export function plies(page) {
  return page.evaluate(() => document.querySelectorAll(".ply").length);
}

/**
 * @param {Page} page
 * @param {number} count
 */
export function sees(page, count) {
  return page.waitForFunction((count) => document.querySelectorAll(".ply").length === count, count);
}

/** @param {Page} page @param {{ timeout?: number }} [options] */
export function over(page, options) {
  return page.waitForSelector(".notice.is-over h2", options);
}

/** @param {Page} page */
export function wide(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
