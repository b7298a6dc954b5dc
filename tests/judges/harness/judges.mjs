/**
 * The three judges, each behind one function: tell it a command, get what it made of it.
 */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { WebSocket } from "ws";
import { open } from "../../browser/harness/browser.mjs";
import { performer } from "../script/perform.mjs";

export const HERE = new URL("../", import.meta.url).pathname;
const TARGET = process.env.CARGO_TARGET_DIR ?? join(HERE, "../../target");
export const PYTHON = process.env.FIBFOB_JUDGES_PYTHON ?? join(TARGET, "judges/venv/bin/python");
/** Bounds every command; generous, as machines are shared. */
const WITHIN_MS = 60_000;

/** A bare page, from a server that is not the one it plays on. */
export async function page() {
  const server = createServer(async (request, response) => {
    const script = /^\/(\w+\.mjs)$/.exec(request.url ?? "");
    response.setHeader("content-type", script ? "text/javascript" : "text/html");
    response.end(
      script
        ? await readFile(join(HERE, "script", script[1]))
        : "<!doctype html><title>A judge</title><link rel=icon href=data:,>",
    );
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", () => ready(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { base: `http://127.0.0.1:${port}`, stop: () => new Promise((done) => server.close(done)) };
}

export const JUDGES = ["python", "node", "browser"];

/** @param {{ base: string }} blank the bare page of the judge in the browser */
export async function bench(blank) {
  let chromium;
  // Node would wait for a child that was left alone.
  const children = new Set();
  const makers = {
    async node() {
      const perform = performer((url, protocol) => new WebSocket(url, protocol));
      return { perform, end: () => {} };
    },
    async python() {
      const child = spawn(PYTHON, ["-m", "judge"], { cwd: join(HERE, "python"), stdio: ["pipe", "pipe", "inherit"] });
      children.add(child);
      const waiting = new Map();
      let count = 0;
      createInterface({ input: child.stdout }).on("line", (text) => {
        const { n, result, fault } = JSON.parse(text);
        const { done, fail } = waiting.get(n);
        waiting.delete(n);
        if (fault) fail(new Error(`python: ${fault}`));
        else done(result);
      });
      const ended = new Promise((done) => child.once("close", (code) => done(code)));
      ended.then((code) => {
        for (const { fail } of waiting.values()) fail(new Error(`python ended with ${code}`));
      });
      return {
        perform(command) {
          count += 1;
          child.stdin.write(`${JSON.stringify({ n: count, ...command })}\n`);
          return new Promise((done, fail) => waiting.set(count, { done, fail }));
        },
        async end() {
          child.stdin.end();
          await ended;
        },
      };
    },
    async browser() {
      chromium ??= open();
      // A line that breaks is told on the console; here it is cut on purpose.
      const person = await (await chromium).person(blank, { allow: /WebSocket connection/ });
      await person.page.goto(blank.base);
      await person.page.addScriptTag({
        type: "module",
        content:
          'import { performer } from "./perform.mjs"; ' +
          "globalThis.perform = performer((url, protocol) => new WebSocket(url, protocol));",
      });
      await person.page.waitForFunction(() => "perform" in globalThis);
      return {
        perform: (command) => person.page.evaluate((told) => globalThis.perform(told), command),
        end: () => person.clean(),
      };
    },
  };
  return {
    /** @param {string} kind one of `JUDGES` */
    async judge(kind) {
      const { perform, end } = await makers[kind]();
      /** @returns {Promise<any>} */
      const tell = (command) => within(perform(command), `${kind} did not ${JSON.stringify(command)}`);
      return {
        kind,
        tell,
        ask: (request) => tell({ do: "request", request }),
        async end() {
          try {
            await tell({ do: "close" });
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

function within(promise, what) {
  let late;
  const bound = new Promise((_, fail) => {
    late = setTimeout(() => fail(new Error(what)), WITHIN_MS);
  });
  return Promise.race([promise, bound]).finally(() => clearTimeout(late));
}
