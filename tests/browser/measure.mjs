/**
 * Prints when a slow phone can use the page. The figures depend on the machine, so no test asserts them.
 *
 * Usage: node measure.mjs [slowdown of the processor, 4 without it]
 */
import { open } from "./harness/browser.mjs";
import { serve } from "./harness/server.mjs";

const SLOWDOWN = Number(process.argv[2] ?? 4);
/** Slow 4G as in Lighthouse: 1.6 Mbit/s down, 750 kbit/s up, 150 ms for a round trip. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };

const server = await serve();
const browser = await open();
try {
  const { context, page } = await browser.newUser(server, { width: 390, height: 844, touch: true });
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", SLOW_4G);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  await page.goto("/", { waitUntil: "commit" });
  await page.waitForSelector(".connection-state.online");
  const shown = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN);
  const usable = await page.evaluate(() => performance.now());
  const [words, use] = [shown, usable].map(Math.round);
  console.log(`first visit, ${SLOWDOWN}× slower, slow 4G: first words ${words} ms, usable ${use} ms`);
  await context.close();
} finally {
  await browser.close();
  await server.stop();
}
