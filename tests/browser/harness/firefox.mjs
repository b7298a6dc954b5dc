/**
 * One page of a real Firefox, driven over WebDriver BiDi, which the stock browser speaks.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import puppeteer from "puppeteer-core";
import { ARTIFACTS, WITHIN } from "./browser.mjs";

const PROGRAMS = ["/usr/bin/firefox-esr", "/usr/bin/firefox"];

export async function firefox() {
  await mkdir(ARTIFACTS, { recursive: true });
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.FIREFOX ?? PROGRAMS.find((path) => existsSync(path)),
    headless: true,
    timeout: 2 * WITHIN,
    extraPrefsFirefox: { "intl.accept_languages": "en-GB", "ui.prefersReducedMotion": 1 },
  });
  const page = await browser.newPage();
  page.setDefaultTimeout(WITHIN);
  await page.setViewport({ width: 1280, height: 800 });
  /** @type {string[]} */
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.evaluateOnNewDocument(() => {
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  return {
    page,
    /** Nothing went wrong in it. */
    clean: () => assert.deepEqual(faults, []),
    close: () => browser.close(),
  };
}
