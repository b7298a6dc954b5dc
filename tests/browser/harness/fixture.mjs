/**
 * A server and a Chromium shared by all tests of one file, which is one process.
 */
import { after, before } from "node:test";
import { open } from "./browser.mjs";
import { serve } from "./server.mjs";

/** @type {Awaited<ReturnType<typeof serve>>} */
export let server;
/** @type {Awaited<ReturnType<typeof open>>} */
export let browser;

before(async () => {
  server = await serve();
  browser = await open();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});
