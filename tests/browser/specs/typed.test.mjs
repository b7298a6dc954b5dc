// Codes and moves as phones and word processors write them: the server reads the same cases.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { normaliseTyped, typedCode } from "../../../server/web/play/typed.js";

test("typed codes and moves are read as the server reads them", async () => {
  const cases = await readFile(new URL("../../../protocol/tests/typed.jsonl", import.meta.url), "utf8");
  for (const line of cases.trim().split("\n")) {
    const { typed, code, move } = JSON.parse(line);
    if (code) assert.equal(typedCode(typed), code, JSON.stringify(typed));
    else assert.equal(normaliseTyped(typed).replaceAll(" ", ""), move.replaceAll(" ", ""), JSON.stringify(typed));
    assert.equal(normaliseTyped(normaliseTyped(typed)), normaliseTyped(typed));
  }
});
