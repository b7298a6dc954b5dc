/**
 * A page of a real Firefox, driven over WebDriver BiDi.
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
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await page.evaluateOnNewDocument(() => {
    // A user who knows the rules of Fib Fob: otherwise the first match begins with them.
    if (location.protocol === "http:") localStorage.setItem("fibfob.known", '["fib-fob"]');
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  return {
    page,
    /** Asserts that the page had no error. */
    clean: () => assert.deepEqual(errors, []),
    close: () => browser.close(),
  };
}
