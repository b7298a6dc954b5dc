// The page in WebKit: the tests of every browser, and drags.
import { test } from "node:test";
import { commonTests, PHONE } from "../harness/common_tests.mjs";
import { dragShip } from "../harness/scenarios.mjs";
import { webkit } from "../harness/webkit.mjs";

// A picture of a match takes this driver half a minute, so there is one.
const withUsers = commonTests("WebKit", webkit, (picture) => picture === "window-phone-portrait");

test("WebKit: a move is made by dragging the ship", () =>
  withUsers([PHONE], (page) => dragShip(page, (places) => page.drag("mouse", places))));

// Asked for touch, this driver sends pointer events of a mouse and no `touchstart`. So these are events of a script:
// they show what the page does with a finger, and not whether WebKit scrolls under it.
test("WebKit: a move is made by a finger's events, which keep the page from scrolling", () =>
  withUsers([PHONE], (page) => dragShip(page, (places) => page.evaluate(fingerEvents, places))));

/**
 * Runs in the page: the events of a finger that is dragged over these places.
 * @param {{ x: number, y: number }[]} places
 */
function fingerEvents(places) {
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
