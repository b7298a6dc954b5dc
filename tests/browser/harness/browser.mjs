/**
 * Pages of a real Chromium. Each belongs to a user with a browser context of their own, which records all errors.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { chromium } from "playwright-core";
import { record } from "./record.mjs";

export const ARTIFACTS = new URL("../../artifacts/browser/", import.meta.url).pathname;
const PICTURES = new URL("../../../docs/pictures/", import.meta.url).pathname;
const SHOWN = new Set(["home-dark", "choice-dark", "learning-light", "match-phone", "game-sum-wide"]);
const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** The bound on every wait, in milliseconds. */
export const WITHIN = 20_000;

export async function open() {
  await mkdir(ARTIFACTS, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? PROGRAMS.find((path) => existsSync(path)),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  return {
    /**
     * A user with an empty browser context.
     * @param {{ base: string }} server
     */
    async newUser(
      server,
      {
        width = 1440,
        height = 900,
        scheme = "dark",
        locale = "en-GB",
        motion = "reduce",
        allow = null,
        touch = false,
        rules = false,
      } = {},
    ) {
      const context = await browser.newContext({
        baseURL: server.base,
        viewport: { width, height },
        colorScheme: scheme,
        reducedMotion: motion,
        locale,
        hasTouch: touch,
      });
      const errors = [];
      // A user who knows the rules: otherwise each first match of a game begins with them.
      if (!rules) {
        const games = (await (await fetch(`${server.base}/api/games`)).json()).map(({ id }) => id);
        await context.addInitScript(
          (games) => location.protocol === "http:" && localStorage.setItem("fibfob.known", JSON.stringify(games)),
          games,
        );
      }
      await context.addInitScript(() => {
        document.addEventListener("securitypolicyviolation", (event) =>
          console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
        );
      });
      context.on("page", (page) => {
        page.setDefaultTimeout(WITHIN);
        page.on("pageerror", (error) => errors.push(String(error.stack)));
        page.on("console", (message) => {
          if (message.type() === "error" && !allow?.test(message.text())) errors.push(message.text());
        });
        page.on("websocket", (socket) => {
          // Clients of others may say what is no message.
          if (!socket.url().endsWith(`${new URL(server.base).host}/ws`)) return;
          socket.on("framesent", ({ payload }) => record("client", payload));
          socket.on("framereceived", ({ payload }) => record("server", payload));
        });
        page.on("request", (request) => {
          if (!request.url().startsWith(server.base) && !request.url().startsWith("data:")) {
            errors.push(`request to another origin: ${request.url()}`);
          }
        });
      });
      const page = await context.newPage();
      return {
        context,
        page,
        /** Asserts that no tab of this user had an error, and closes them. */
        async clean() {
          assert.deepEqual(errors, []);
          // On a busy machine Chromium sometimes never says that a context is closed. It ends with its file.
          await Promise.race([context.close(), setTimeout(WITHIN, undefined, { ref: false })]);
        },
      };
    },
    /** An SVG of this side as PNG, on a transparent ground. */
    async draw(svg, side) {
      const page = await browser.newPage({ viewport: { width: side, height: side } });
      await page.setContent(`<style>body { margin: 0 } svg { display: block; width: ${side}px }</style>${svg}`);
      const png = await page.screenshot({ omitBackground: true });
      await page.close();
      return png;
    },
    close: () => browser.close(),
  };
}

/**
 * @param {import("playwright-core").Page} page
 * @param {string} name
 */
export async function picture(page, name, options = {}) {
  const path = `${ARTIFACTS}${name}.png`;
  await page.screenshot({ path, ...options });
  // Only `npm run pictures` updates the pictures of the README; an ordinary run changes no tracked file.
  if (process.env.FIBFOB_PICTURES && SHOWN.has(name)) {
    await page.screenshot({ ...options, path: `${PICTURES}${name}.jpg`, type: "jpeg", quality: 82 });
  }
  return path;
}
