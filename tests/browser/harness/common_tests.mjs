/**
 * The tests that the page passes in every browser besides Chromium, whose specs go into each part in more detail.
 *
 * @typedef {{ width?: number, height?: number, rules?: boolean, touch?: boolean }} UserOptions
 * @typedef {{ page: any, clean: () => Promise<void> }} User
 * @typedef {{ newUser: (server: any, options?: UserOptions) => Promise<User>, close: () => Promise<void> }} Browser
 */
import { after, before, test } from "node:test";
import { accessible, anotherDevice, firstVisit, oneWindow, twoFriends } from "./scenarios.mjs";
import { serve } from "./server.mjs";
import { WINDOWS } from "./windows.mjs";

export const PHONE = { width: 390, height: 844 };

/**
 * Registers the tests for a browser. Returns the function that runs a scenario there, with one new user for each of
 * the options, and asserts that none of them had an error.
 * @param {string} name
 * @param {() => Promise<Browser>} launch
 * @param {(picture: string) => boolean} [pictured] whether a picture of this name is taken in a match
 */
export function commonTests(name, launch, pictured = () => true) {
  /** @type {Awaited<ReturnType<typeof serve>>} */
  let server;
  /** @type {Browser} */
  let browser;
  before(async () => {
    server = await serve();
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  /**
   * @param {UserOptions[]} options
   * @param {(...pages: any[]) => Promise<void>} scenario
   */
  async function withUsers(options, scenario) {
    /** @type {User[]} */
    const users = [];
    for (const one of options) users.push(await browser.newUser(server, one));
    await scenario(...users.map(({ page }) => page));
    for (const user of users) await user.clean();
  }
  /** @param {string} picture */
  const pictureOf = (picture) => (pictured(picture) ? `${name.toLowerCase()}-${picture}` : undefined);

  test(`${name}: two named friends play from the link to the rematch, and back to the first match`, () =>
    withUsers([{}, {}], twoFriends));

  test(`${name}: a code makes a phone the same guest`, () => withUsers([{}, PHONE], anotherDevice));

  test(`${name}: the first match begins with the rules, for an invited friend before taking the seat`, () =>
    withUsers([{ rules: true }, { ...PHONE, rules: true }], (ada, bo) => firstVisit(ada, bo, name.toLowerCase())));

  for (const { name: window, font, ...size } of WINDOWS) {
    test(`${name}: a match fits one window: ${window}`, () =>
      withUsers([{ ...size, touch: true }], (page) =>
        oneWindow(page, { font }, pictureOf(`window-${window.replaceAll(/\W+/g, "-")}`)),
      ));
  }

  for (const theme of ["dark", "light"]) {
    for (const language of ["en", "de"]) {
      test(`${name}: axe finds no violation from the start page to the end, ${theme}, ${language}`, () =>
        withUsers([{}], (page) => accessible(page, { theme, language }, pictureOf(`match-${theme}-${language}`))));
    }
  }
  return withUsers;
}
