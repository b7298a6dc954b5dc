/**
 * Pages of a real WebKit: WebKitGTK's own small browser on a virtual screen, driven by Debian's `webkit2gtk-driver`.
 * Playwright drives only its own build of WebKit, so this speaks WebDriver.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ARTIFACTS, WITHIN } from "./browser.mjs";
import { WebDriverPage } from "./webdriver.mjs";

const DRIVER = process.env.WEBKIT_DRIVER ?? "WebKitWebDriver";
/** Larger than every window of the specs. */
const SCREEN = "2000x1200x24";
/** The tool bar's buttons are wider than a phone. */
const STYLE = "* { font-size: 5px; padding: 0; margin: 0; min-width: 0; min-height: 0; border-width: 0; }\n";
/** WebKitGTK takes "prefers reduced motion" from GTK. */
const SETTINGS = "[Settings]\ngtk-enable-animations=0\n";
/** The pause between two questions whether the driver is ready. */
const READY_MS = 50;

/** A virtual screen for any number of users. */
export async function webkit() {
  await mkdir(ARTIFACTS, { recursive: true });
  const folder = await mkdtemp(join(tmpdir(), "fibfob-webkit-"));
  await mkdir(join(folder, "gtk-3.0"));
  await writeFile(join(folder, "gtk-3.0/gtk.css"), STYLE);
  await writeFile(join(folder, "gtk-3.0/settings.ini"), SETTINGS);
  const screen = await virtualScreen();
  return {
    /**
     * A user with a browser of their own.
     * @param {{ base: string }} server
     */
    async newUser(server, { width = 1280, height = 800, rules = false } = {}) {
      // A driver has one session.
      const driver = await startDriver(folder, screen.display);
      const page = await WebDriverPage.open(driver.address, server.base);
      await page.goto("/healthz");
      await page.setViewportSize({ width, height });
      if (!rules) {
        const games = (await (await fetch(`${server.base}/api/games`)).json()).map(({ id }) => id);
        await page.evaluate((games) => localStorage.setItem("fibfob.known", JSON.stringify(games)), games);
      }
      page.onLoad(recordErrors);
      return {
        page,
        /** Asserts that the page shown last had no error, and closes the browser. */
        async clean() {
          assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).errors), []);
          await page.close();
          await driver.stop();
        },
      };
    },
    /** Ends all browsers, also those of a spec that failed. */
    async close() {
      for (const child of running) child.kill("SIGKILL");
      await screen.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs in the page. */
function recordErrors() {
  if ("errors" in window) return;
  /** @type {string[]} */
  const errors = [];
  Object.assign(window, { errors });
  addEventListener("error", (event) => errors.push(`${event.message} ${event.filename}:${event.lineno}`));
  addEventListener("unhandledrejection", (event) => errors.push(String(event.reason?.stack ?? event.reason)));
  document.addEventListener("securitypolicyviolation", (event) =>
    errors.push(`policy: ${event.violatedDirective} ${event.blockedURI}`),
  );
}

/**
 * Every process that still runs at the end of a spec is ended with it.
 * @type {Set<import("node:child_process").ChildProcess>}
 */
const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * @param {string} program
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} options
 */
function start(program, args, options) {
  const child = spawn(program, args, options);
  running.add(child);
  const ended = new Promise((done) =>
    child.once("exit", () => {
      running.delete(child);
      done(undefined);
    }),
  );
  const failed = new Promise((_, fail) => child.once("error", fail));
  return {
    child,
    failed,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function virtualScreen() {
  const options = ["-displayfd", "3", "-screen", "0", SCREEN, "-nolisten", "tcp"];
  const { child, failed, stop } = start("Xvfb", options, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const number = await Promise.race([new Promise((done) => child.stdio[3]?.once("data", done)), failed]);
  return { display: `:${String(number).trim()}`, stop };
}

/**
 * @param {string} folder of GTK's settings
 * @param {string} display
 */
async function startDriver(folder, display) {
  const port = await freePort();
  const env = {
    ...process.env,
    DISPLAY: display,
    GDK_BACKEND: "x11",
    XDG_CONFIG_HOME: folder,
    LC_ALL: "C.UTF-8",
    LANGUAGE: "en_GB",
    // Nobody else on this screen, no graphics card, and no bus of a desktop.
    NO_AT_BRIDGE: "1",
    GTK_A11Y: "none",
    LIBGL_ALWAYS_SOFTWARE: "1",
    WEBKIT_DISABLE_DMABUF_RENDERER: "1",
  };
  const { failed, stop } = start(DRIVER, ["-p", String(port)], { env, stdio: "ignore" });
  const address = `http://127.0.0.1:${port}`;
  await Promise.race([ready(address), failed]);
  return { address, stop };
}

/** @param {string} address */
async function ready(address) {
  const until = Date.now() + WITHIN;
  for (;;) {
    const status = await fetch(`${address}/status`).catch(() => null);
    if (status?.ok) return;
    if (Date.now() > until) throw new Error("the driver of WebKit did not start in time");
    await pause(READY_MS);
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => done(port));
    });
  });
}
