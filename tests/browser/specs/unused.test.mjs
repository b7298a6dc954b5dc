// What nothing names: classes in the styles of the page, and exports of its modules.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

const WEB = new URL("../../../server/web", import.meta.url).pathname;
const TESTS = new URL("../", import.meta.url).pathname;

/** Returns the paths and texts of files. @type {(folder: string, kinds: RegExp) => Promise<[string, string][]>} */
async function read(folder, kinds) {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => kinds.test(path));
  return Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path), "utf8")]));
}

test("every class in the styles is named by the page", async () => {
  const texts = async (/** @type {RegExp} */ kinds) =>
    (await read(WEB, kinds)).map(([, text]) => text.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/ .*/gm, "")).join("\n");
  const code = await texts(/^(?!words).*\.(js|html)$/);
  const named = new Set((code.match(/"[^"\n]*"|`[^`]*`/g) ?? []).join(" ").match(/[a-z][\w-]*/gi));
  // `is-${state}` names all that begin so.
  const begun = new Set([...code.matchAll(/([a-z]+-)\$\{/g)].map(([, begin]) => begin));
  const selectors = ((await texts(/\.css$/)).match(/[^{};]+(?=\{)/g) ?? []).join("\n");
  const classes = new Set([...selectors.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name]) => name));
  assert.ok(classes.size > 200, "the classes were found");
  const unnamed = [...classes].filter((name) => !named.has(name) && !begun.has(name.replace(/-.*/, "-")));
  assert.deepEqual(unnamed, []);
});

test("every export of a module is imported by another one, or by a test", async () => {
  const modules = await read(WEB, /\.js$/);
  const all = [modules, await read(TESTS, /^(harness|specs)\/.*\.mjs$/)].flat();
  const isUsed = (/** @type {string} */ at, /** @type {string} */ name) => {
    const use = RegExp(`\\{[^{}]*\\b${name}\\b[^{}]*\\}(?: from|\\]?\\)? =)|import\\([^()]*\\)\\)?\\.${name}\\b`);
    return all.some(([path, text]) => path !== at && use.test(text));
  };
  const exported = /^export (?:async )?(?:const|let|class|function) (\w+)/gm;
  const found = modules.flatMap(([path, text]) => [...text.matchAll(exported)].map(([, name]) => [path, name]));
  assert.ok(found.length > 100, "the exports were found");
  const unused = found.filter(([path, name]) => !isUsed(path, name));
  assert.deepEqual(unused, []);
});
