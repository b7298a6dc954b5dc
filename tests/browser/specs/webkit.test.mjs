// The page in WebKit: two friends, the rules at the first match, small windows, drags, accessibility, and moving to
// another device.
import { after, before, test } from "node:test";
import { accessible, another_device, drag_ship, first_visit, one_window, two_friends } from "../harness/scenarios.mjs";
import { serve } from "../harness/server.mjs";
import { webkit } from "../harness/webkit.mjs";
import { WINDOWS } from "../harness/windows.mjs";

const PHONE = { width: 390, height: 844 };

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {Awaited<ReturnType<typeof webkit>>} */
let browser;
before(async () => {
  server = await serve();
  browser = await webkit();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

test("WebKit: two named friends play from the link to the rematch, and back to the first match", async () => {
  const ada = await browser.new_user(server);
  const bo = await browser.new_user(server);
  await two_friends(ada.page, bo.page);
  for (const user of [ada, bo]) await user.clean();
});

test("WebKit: a code makes a phone the same guest", async () => {
  const ada = await browser.new_user(server);
  const phone = await browser.new_user(server, PHONE);
  await another_device(ada.page, phone.page);
  for (const user of [ada, phone]) await user.clean();
});

test("WebKit: the first match begins with the rules, for an invited friend before taking the seat", async () => {
  const ada = await browser.new_user(server, { rules: true });
  const bo = await browser.new_user(server, { ...PHONE, rules: true });
  await first_visit(ada.page, bo.page, "webkit");
  for (const user of [ada, bo]) await user.clean();
});

for (const { name, font, ...size } of WINDOWS) {
  test(`WebKit: a match fits one window: ${name}`, async () => {
    const { page, clean } = await browser.new_user(server, size);
    // A picture of a match takes this driver half a minute.
    await one_window(page, { font }, name === "phone portrait" ? "webkit-phone" : undefined);
    await clean();
  });
}

test("WebKit: a move is made by dragging the ship", async () => {
  const { page, clean } = await browser.new_user(server, PHONE);
  await drag_ship(page, (places) => page.drag("mouse", places));
  await clean();
});

test("WebKit: a move is made by a finger's events, which keep the page from scrolling", async () => {
  const { page, clean } = await browser.new_user(server, PHONE);
  // Asked for touch, this driver sends pointer events of a mouse and no `touchstart`. So these are events of a script:
  // they show what the page does with a finger, and not whether WebKit scrolls under it.
  await drag_ship(page, (places) => page.evaluate(finger_events, places));
  await clean();
});

for (const theme of ["dark", "light"]) {
  for (const language of ["en", "de"]) {
    test(`WebKit: axe finds no violation from the start page to the end, ${theme}, ${language}`, async () => {
      const { page, clean } = await browser.new_user(server);
      await accessible(page, { theme, language });
      await clean();
    });
  }
}

/**
 * Runs in the page: the events of a finger that is dragged over these places.
 * @param {{ x: number, y: number }[]} places
 */
function finger_events(places) {
  const [first] = places;
  const figure = document.elementFromPoint(first.x, first.y);
  if (!figure) throw new Error("nothing is there");
  const touch = new Event("touchstart", { bubbles: true, cancelable: true });
  if (figure.dispatchEvent(touch)) throw new Error("the page would scroll under the finger");
  const send = (/** @type {string} */ type, /** @type {{ x: number, y: number }} */ { x, y }) =>
    figure.dispatchEvent(
      new PointerEvent(type, {
        bubbles: true,
        cancelable: true,
        // The only pointer that this browser knows, so that it can be captured.
        pointerId: 1,
        pointerType: "touch",
        isPrimary: true,
        button: type === "pointermove" ? -1 : 0,
        clientX: x,
        clientY: y,
      }),
    );
  send("pointerdown", first);
  for (const place of places.slice(1)) send("pointermove", place);
  send("pointerup", places[places.length - 1]);
}
