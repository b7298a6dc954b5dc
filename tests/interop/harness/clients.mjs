/**
 * The three third-party clients, each behind one function that takes a command and returns its result.
 */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { WebSocket } from "ws";
import { open } from "../../browser/harness/browser.mjs";
import { TARGET } from "../../browser/harness/server.mjs";
import { driver } from "../javascript/commands.mjs";

const HERE = new URL("../", import.meta.url).pathname;
export const PYTHON = process.env.FIBFOB_INTEROP_PYTHON ?? join(TARGET, "interop/venv/bin/python");
/** The bound on every command; generous, because machines are shared. */
const TIMEOUT_MS = 60_000;

/** Serves an empty page with the client's scripts, from another origin than the game server's. */
export async function emptyPage() {
  const server = createServer(async (request, response) => {
    const script = /^\/(\w+\.mjs)$/.exec(request.url ?? "");
    response.setHeader("content-type", script ? "text/javascript" : "text/html");
    response.end(
      script
        ? await readFile(join(HERE, "javascript", script[1]))
        : "<!doctype html><title>Client</title><link rel=icon href=data:,>",
    );
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", () => ready(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { base: `http://127.0.0.1:${port}`, stop: () => new Promise((done) => server.close(done)) };
}

/** The kinds of clients. */
export const KINDS = ["python", "node", "browser"];

/** @param {{ base: string }} page the empty page of the client in the browser */
export async function launcher(page) {
  let chromium;
  // Node waits for children that still run, so `stop` kills them.
  const children = new Set();
  const launch = {
    async node() {
      const perform = driver((url, protocol) => new WebSocket(url, protocol));
      return { perform, end: () => {} };
    },
    async python() {
      const child = spawn(PYTHON, ["-m", "fibfob_client"], {
        cwd: join(HERE, "python"),
        stdio: ["pipe", "pipe", "inherit"],
      });
      children.add(child);
      const pending = new Map();
      let count = 0;
      createInterface({ input: child.stdout }).on("line", (text) => {
        const { n, result, error } = JSON.parse(text);
        const { done, fail } = pending.get(n);
        pending.delete(n);
        if (error) fail(new Error(`python: ${error}`));
        else done(result);
      });
      const ended = new Promise((done) => child.once("close", (code) => done(code)));
      ended.then((code) => {
        for (const { fail } of pending.values()) fail(new Error(`python ended with ${code}`));
      });
      return {
        perform(command) {
          count += 1;
          child.stdin.write(`${JSON.stringify({ n: count, ...command })}\n`);
          return new Promise((done, fail) => pending.set(count, { done, fail }));
        },
        async end() {
          child.stdin.end();
          await ended;
        },
      };
    },
    async browser() {
      chromium ??= open();
      // Chromium logs broken connections to the console; these tests break them on purpose.
      const user = await (await chromium).newUser(page, { allow: /WebSocket connection/, rules: true });
      await user.page.goto(page.base);
      await user.page.addScriptTag({
        type: "module",
        content:
          'import { driver } from "./commands.mjs"; ' +
          "globalThis.perform = driver((url, protocol) => new WebSocket(url, protocol));",
      });
      await user.page.waitForFunction(() => "perform" in globalThis);
      return {
        perform: (command) => user.page.evaluate((given) => globalThis.perform(given), command),
        end: () => user.clean(),
      };
    },
  };
  return {
    /** @param {string} kind one of `KINDS` */
    async start(kind) {
      const { perform, end } = await launch[kind]();
      /** @returns {Promise<any>} */
      const run = (command) => withTimeout(perform(command), `${kind}: timeout of ${JSON.stringify(command)}`);
      return {
        kind,
        run,
        request: (request) => run({ do: "request", request }),
        async end() {
          try {
            await run({ do: "close" });
          } finally {
            await end();
          }
        },
      };
    },
    async stop() {
      for (const child of children) child.kill("SIGKILL");
      await (await chromium)?.close();
    },
  };
}

function withTimeout(promise, message) {
  let timer;
  const timeout = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(message)), TIMEOUT_MS);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
