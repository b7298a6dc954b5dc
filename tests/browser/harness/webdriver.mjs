/**
 * A small client of the W3C's WebDriver protocol, and a page with the few methods of Playwright's that specs of several
 * browsers share.
 */
import { writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { WITHIN } from "./browser.mjs";

/** The name of an element's id in messages of the protocol. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
/** The pause between two looks at a page that is waited for. */
const LOOK_MS = 25;
/** Errors of a page that is just changing, after which a click is tried again. */
const CHANGING = new Set([
  "element click intercepted",
  "element not interactable",
  "no such element",
  "stale element reference",
]);

/** An answer of the driver that reports an error. */
class WebDriverError extends Error {
  /** @param {{ error: string, message: string }} value */
  constructor({ error, message }) {
    super(`${error}: ${message}`);
    this.kind = error;
  }
}

/** The page of one session. */
export class WebDriverPage {
  /** @type {string} */
  #session;
  /** The address that others are relative to. @type {string} */
  #base;
  /** @type {(() => unknown) | null} */
  #onLoad = null;

  /**
   * @param {string} session the session's address at the driver
   * @param {string} base
   */
  constructor(session, base) {
    this.#session = session;
    this.#base = base;
  }

  /**
   * Starts a session at a driver.
   * @param {string} driver its address
   * @param {string} base the address that others are relative to
   */
  static async open(driver, base) {
    const { sessionId } = await command(driver, "POST", "/session", { capabilities: { alwaysMatch: {} } });
    return new WebDriverPage(`${driver}/session/${sessionId}`, base);
  }

  /**
   * Calls a function in every page that is loaded from now on, perhaps several times.
   * @param {() => unknown} script
   */
  onLoad(script) {
    this.#onLoad = script;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   */
  #command(method, path, body) {
    return command(this.#session, method, path, body);
  }

  close() {
    return this.#command("DELETE", "");
  }

  /** @param {string} url */
  async goto(url) {
    await this.#command("POST", "/url", { url: new URL(url, this.#base).href });
    await this.#loaded();
  }

  /** Goes back, which may load a page anew. */
  async goBack() {
    await this.#command("POST", "/back", {});
    await this.#loaded();
  }

  /** Goes forward again, which may load a page anew. */
  async goForward() {
    await this.#command("POST", "/forward", {});
    await this.#loaded();
  }

  async #loaded() {
    if (this.#onLoad) await this.evaluate(this.#onLoad);
  }

  /** @returns {Promise<string>} */
  url() {
    return this.#command("GET", "/url");
  }

  /** @returns {Promise<string>} */
  title() {
    return this.#command("GET", "/title");
  }

  /**
   * Gives the page's window this size, without the frame and the tool bar of the browser.
   * @param {{ width: number, height: number }} size
   */
  async setViewportSize({ width, height }) {
    const inner = () => this.evaluate(() => [innerWidth, innerHeight]);
    const outer = await this.#command("POST", "/window/rect", { x: 0, y: 0, width, height });
    await this.waitForFunction((width) => innerWidth === width, width);
    const [, seen] = await inner();
    await this.#command("POST", "/window/rect", { width, height: outer.height + height - seen });
    await this.waitForFunction((width, height) => innerWidth === width && innerHeight === height, width, height);
  }

  /**
   * Calls a function in the page, and returns what it returns or resolves to.
   * @param {string | ((...values: any[]) => any)} script
   * @param {any[]} values
   */
  async evaluate(script, ...values) {
    if (typeof script === "string") return this.#command("POST", "/execute/sync", { script, args: values });
    const source = `const done = arguments[arguments.length - 1];
      Promise.resolve((${script}).apply(null, Array.prototype.slice.call(arguments, 0, -1)))
        .then((value) => done({ value }), (error) => done({ error: String(error && error.stack || error) }));`;
    const { value, error } = await this.#command("POST", "/execute/async", { script: source, args: values });
    if (error) throw new Error(error);
    return value;
  }

  /**
   * Waits until a function returns a true value in the page.
   * @param {(...values: any[]) => any} condition
   * @param {any[]} values
   */
  waitForFunction(condition, ...values) {
    return this.#wait(
      () => this.evaluate(condition, ...values),
      () => `${condition} of ${JSON.stringify(values)}`,
    );
  }

  /**
   * Waits until an element is there and has a size, or until none is there.
   * @param {string} selector
   * @param {{ state?: "visible" | "attached" | "detached" }} [options]
   */
  waitForSelector(selector, { state = "visible" } = {}) {
    return this.waitForFunction(
      (selector, state) => {
        const found = [...document.querySelectorAll(selector)];
        if (state === "detached") return !found.length;
        return found.some((element) => state === "attached" || element.getClientRects().length);
      },
      selector,
      state,
    );
  }

  /** @param {(url: URL) => boolean} right */
  waitForURL(right) {
    return this.#wait(
      async () => right(new URL(await this.url())),
      () => `the address ${right}`,
    );
  }

  /**
   * Returns the value once it is true.
   * @template T
   * @param {() => Promise<T>} look
   * @param {() => string} what
   */
  async #wait(look, what) {
    const until = Date.now() + WITHIN;
    for (;;) {
      const value = await look();
      if (value) return value;
      if (Date.now() > until) throw new Error(`not within ${WITHIN} ms: ${what()}`);
      await pause(LOOK_MS);
    }
  }

  /**
   * Tries what depends on a page at rest until it succeeds.
   * @param {string} selector
   * @param {(element: string) => Promise<unknown>} act
   */
  async #onElement(selector, act) {
    const until = Date.now() + WITHIN;
    for (;;) {
      try {
        const found = await this.#command("POST", "/element", { using: "css selector", value: selector });
        return await act(found[ELEMENT]);
      } catch (error) {
        const changing = error instanceof WebDriverError && CHANGING.has(error.kind);
        if (!changing || Date.now() > until) throw new Error(`${selector}: ${error}`, { cause: error });
        await pause(LOOK_MS);
      }
    }
  }

  /**
   * Clicks the middle of an element that is enabled and not covered.
   * @param {string} selector
   */
  async click(selector) {
    // The driver's own click does not know groups of shapes.
    const point = await this.#wait(
      () => this.evaluate(freePoint, selector),
      () => `${selector} can be clicked`,
    );
    await this.drag("mouse", [point]);
  }

  /**
   * @param {string} selector
   * @param {string} text
   */
  fill(selector, text) {
    return this.#onElement(selector, async (element) => {
      await this.#command("POST", `/element/${element}/clear`, {});
      await this.#command("POST", `/element/${element}/value`, { text });
    });
  }

  /**
   * @param {string} selector
   * @param {"Enter"} key
   */
  press(selector, key) {
    const text = { Enter: "\uE007" }[key];
    return this.#onElement(selector, (element) => this.#command("POST", `/element/${element}/value`, { text }));
  }

  /**
   * Presses the pointer at the first of some points, and moves it to the others before letting it go.
   * @param {"mouse" | "touch"} kind
   * @param {{ x: number, y: number }[]} points
   */
  async drag(kind, points) {
    const move = ({ x, y }) => ({ type: "pointerMove", duration: 20, x: Math.round(x), y: Math.round(y) });
    const [first, ...others] = points.map(move);
    const press = { type: "pointerDown", button: 0 };
    const actions = [first, press, ...others, { type: "pointerUp", button: 0 }];
    const source = { type: "pointer", id: kind, parameters: { pointerType: kind }, actions };
    await this.#command("POST", "/actions", { actions: [source] });
    await this.#command("DELETE", "/actions");
  }

  /** @param {string} selector @returns {Promise<string | null>} */
  async textContent(selector) {
    await this.waitForSelector(selector, { state: "attached" });
    return this.evaluate((selector) => document.querySelector(selector)?.textContent ?? null, selector);
  }

  /** @param {string} selector @param {string} name @returns {Promise<string | null>} */
  async getAttribute(selector, name) {
    await this.waitForSelector(selector, { state: "attached" });
    return this.evaluate(
      (selector, name) => document.querySelector(selector)?.getAttribute(name) ?? null,
      selector,
      name,
    );
  }

  /** @param {string} selector @returns {Promise<number>} */
  count(selector) {
    return this.evaluate((selector) => document.querySelectorAll(selector).length, selector);
  }

  /** @param {{ path: string }} file */
  async screenshot({ path }) {
    await writeFile(path, Buffer.from(await this.#command("GET", "/screenshot"), "base64"));
  }
}

/**
 * Runs in the page: the middle of the first such element once it is at rest, if a click there reaches it.
 * @param {string} selector
 */
async function freePoint(selector) {
  const place = () => {
    const element = document.querySelector(selector);
    if (!element || element.matches(":disabled")) return null;
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
    const { left, top, width, height } = element.getBoundingClientRect();
    const point = { x: left + width / 2, y: top + height / 2 };
    const hit = document.elementFromPoint(point.x, point.y);
    return element.contains(hit) || hit?.closest("label")?.contains(element) ? point : null;
  };
  const before = place();
  await new Promise((done) => setTimeout(done, 50));
  const after = place();
  return before && after && Math.hypot(before.x - after.x, before.y - after.y) < 1 ? after : null;
}

/**
 * @param {string} base
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 */
async function command(base, method, path, body) {
  const response = await fetch(base + path, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {}),
    signal: AbortSignal.timeout(3 * WITHIN),
  });
  const { value } = await response.json();
  if (!response.ok) throw new WebDriverError(value);
  return value;
}
