/**
 * Pages of a real Firefox, driven over WebDriver BiDi.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import puppeteer from "puppeteer-core";
import { ARTIFACTS, WITHIN } from "./browser.mjs";

const PROGRAMS = ["/usr/bin/firefox-esr", "/usr/bin/firefox"];
/** The pause between two looks at an address that is waited for. */
const LOOK_MS = 25;

export async function firefox() {
  await mkdir(ARTIFACTS, { recursive: true });
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.FIREFOX ?? PROGRAMS.find((path) => existsSync(path)),
    headless: true,
    timeout: 2 * WITHIN,
    extraPrefsFirefox: {
      "intl.accept_languages": "en-GB",
      "ui.prefersReducedMotion": 1,
      // Several users' pages are one window's tabs: those behind draw as often as the first one.
      "layout.throttled_frame_rate": 60,
      "dom.min_background_timeout_value": 4,
    },
  });
  return {
    /**
     * A user with an empty browser context.
     * @param {{ base: string }} server
     */
    async newUser(server, { width = 1280, height = 800, rules = false, touch = false } = {}) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      page.setDefaultTimeout(WITHIN);
      await page.setViewport({ width, height, hasTouch: touch }).catch((error) => {
        // Older versions of Firefox cannot turn the screen, which Puppeteer asks for besides the size.
        if (!String(error).includes("unknown command emulation.setScreenOrientationOverride")) throw error;
      });
      await page.waitForFunction((width, height) => innerWidth === width && innerHeight === height, {}, width, height);
      /** @type {string[]} */
      const errors = [];
      page.on("pageerror", (error) => errors.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error") errors.push(message.text());
      });
      await page.evaluateOnNewDocument((rules) => {
        // A user who knows the rules of Fib Fob: otherwise the first match begins with them.
        if (!rules && location.protocol === "http:") localStorage.setItem("fibfob.known", '["fib-fob"]');
        document.addEventListener("securitypolicyviolation", (event) =>
          console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
        );
      }, rules);
      return {
        page: sharedMethods(page, server.base),
        /** Asserts that the page had no error, and closes it. */
        async clean() {
          assert.deepEqual(errors, []);
          await context.close();
        },
      };
    },
    close: () => browser.close(),
  };
}

/**
 * The few methods of Playwright's that specs of several browsers share, on a page of Puppeteer's.
 * @param {import("puppeteer-core").Page} page
 * @param {string} base the address that others are relative to
 */
function sharedMethods(page, base) {
  return {
    goto: (/** @type {string} */ url) => page.goto(new URL(url, base).href),
    goBack: () => page.goBack(),
    goForward: () => page.goForward(),
    title: () => page.title(),
    url: () => page.url(),
    // Whoever waits looks at the page: one that nobody looks at follows no open match.
    async waitForSelector(/** @type {string} */ selector, { state = "visible" } = {}) {
      await page.bringToFront();
      return state === "detached"
        ? page.waitForFunction((selector) => !document.querySelector(selector), {}, selector)
        : page.waitForSelector(selector, { visible: state === "visible" });
    },
    async waitForFunction(/** @type {(...values: any[]) => any} */ condition, /** @type {any[]} */ ...values) {
      await page.bringToFront();
      return page.waitForFunction(condition, {}, ...values);
    },
    /** @param {(url: URL) => boolean} right */
    async waitForURL(right) {
      const until = Date.now() + WITHIN;
      while (!right(new URL(page.url()))) {
        if (Date.now() > until) throw new Error(`not within ${WITHIN} ms: the address ${right}`);
        await pause(LOOK_MS);
      }
    },
    evaluate: (/** @type {(...values: any[]) => any} */ script, /** @type {any[]} */ ...values) =>
      page.evaluate(script, ...values),
    /** Clicks an element once it is visible, enabled and at rest. @param {string} selector */
    async click(selector) {
      await page.bringToFront();
      await page.locator(selector).click();
    },
    async fill(/** @type {string} */ selector, /** @type {string} */ text) {
      await page.bringToFront();
      await page.locator(selector).fill(text);
    },
    async press(/** @type {string} */ selector, /** @type {import("puppeteer-core").KeyInput} */ key) {
      await page.focus(selector);
      await page.keyboard.press(key);
    },
    /** @param {string} selector @returns {Promise<string | null>} */
    async textContent(selector) {
      await page.waitForSelector(selector);
      return page.$eval(selector, (element) => element.textContent);
    },
    /** @param {string} selector @param {string} name @returns {Promise<string | null>} */
    async getAttribute(selector, name) {
      await page.waitForSelector(selector);
      return page.$eval(selector, (element, name) => element.getAttribute(name), name);
    },
    /**
     * Drags a finger over these places: pointer and touch events of a real touch.
     * @param {{ x: number, y: number }[]} places
     */
    async dragByTouch([first, ...others]) {
      const finger = await page.touchscreen.touchStart(first.x, first.y);
      for (const { x, y } of others) await finger.move(x, y);
      await finger.end();
    },
    screenshot: (/** @type {{ path: string }} */ { path }) => page.screenshot({ path: /** @type {any} */ (path) }),
  };
}
