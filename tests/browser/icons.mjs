/**
 * Draws the page's icons as PNG, for systems that take no SVG: `npm run icons`, after a change of an icon.
 */
import { readFile, writeFile } from "node:fs/promises";
import { open } from "./harness/browser.mjs";

const WEB = new URL("../../server/web/", import.meta.url);
const ICONS = [
  // A phone rounds the corners of its icons itself.
  ["icon_maskable.svg", "icon_180.png", 180],
  ["icon_maskable.svg", "icon_maskable_512.png", 512],
  ["icon.svg", "icon_192.png", 192],
  ["icon.svg", "icon_512.png", 512],
];

const browser = await open();
for (const [from, to, side] of ICONS) {
  const svg = await readFile(new URL(from, WEB), "utf8");
  await writeFile(new URL(to, WEB), await browser.draw(svg, side));
}
await browser.close();
