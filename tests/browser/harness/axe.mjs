/**
 * The accessibility engine axe, run in a page.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Returns what axe objects to in the page as it is.
 * @param {import("playwright-core").Page} page
 * @returns {Promise<string[]>}
 */
export async function violations(page) {
  // Injected through the debugger, because the page's content security policy would reject it.
  await page.evaluate(AXE);
  const found = await page.evaluate(() =>
    /** @type {any} */ (globalThis).axe.run(document, { resultTypes: ["violations"] }),
  );
  return found.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary}`).join(" | ")}`,
  );
}
