// The reasons of refusals: the protocol's list and the texts in both languages agree. The page's type is made of the
// English texts.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { de } from "../../../server/web/words/de.js";
import { en } from "../../../server/web/words/en.js";

const ROOT = new URL("../../../", import.meta.url);
const read = (/** @type {string} */ path) => readFile(new URL(path, ROOT), "utf8");

/** The variants of the Rust enum `RefusalReason`, as they are written on the wire. */
async function protocolReasons() {
  const source = await read("protocol/src/refusal.rs");
  const [, body] = /pub enum RefusalReason \{([^]*?)\n\}/.exec(source) ?? [];
  const variants = [...body.matchAll(/^ {4}([A-Z]\w*),/gm)].map(([, name]) => name).filter((name) => name !== "Other");
  const reasons = variants.map((name) => name.replaceAll(/(?<!^)(?=[A-Z])/g, "-").toLowerCase()).sort();
  assert.ok(reasons.length > 40 && reasons.includes("no-such-version"), String(reasons));
  return reasons;
}

test("every reason has a text in each language, and every text has a reason", async () => {
  const reasons = await protocolReasons();
  for (const texts of [en, de]) {
    const named = Object.keys(texts).filter((key) => key.startsWith("refused."));
    assert.deepEqual(named.map((key) => key.slice("refused.".length)).sort(), reasons);
  }
});
