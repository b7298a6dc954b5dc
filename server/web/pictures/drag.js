/** Dragging: a pointer that holds a part of a picture, and a figure that is carried to one of its choices. */

/** The largest distance between pointer and choice, in sizes of a square. */
const NEAR = 0.9;
/** The shortest drag in pixels; shorter ones are clicks. */
export const TREMBLE = 6;

/**
 * Follows a pointer from the press on an element to its release, if it may be dragged. `end` gets nothing if the
 * pointer is lost.
 * @typedef {(event: PointerEvent) => void} Act
 * @typedef {{ begin: Act, move?: Act, end?: (released: PointerEvent | null) => void }} Acts
 * @type {(element: SVGElement, may: () => boolean, acts: Acts) => void}
 */
export function hold(element, may, { begin, move, end }) {
  let held = false;
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !may()) return;
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    held = true;
    begin(event);
  });
  element.addEventListener("pointermove", (event) => held && move?.(event));
  element.addEventListener("pointerup", (event) => {
    if (!held) return;
    held = false;
    // A busy browser may skip the last pointer moves.
    move?.(event);
    end?.(event);
  });
  element.addEventListener("pointercancel", () => {
    if (held) end?.(null);
    held = false;
  });
}

/** Returns the place of a pointer in a picture. @type {(picture: SVGSVGElement, event: PointerEvent) => DOMPoint} */
export function placeIn(picture, { clientX, clientY }) {
  return new DOMPoint(clientX, clientY).matrixTransform(picture.getScreenCTM()?.inverse());
}

/**
 * Makes a figure one that can be carried: releasing it over a choice is a click on that choice; anywhere else nothing
 * happens.
 * @param {SVGSVGElement} picture
 * @param {SVGGElement} figure
 * @param {{ moves: () => Element[], back: () => void, size: () => number }} acts
 */
export function grab(picture, figure, { moves, back, size }) {
  /** @type {Element | null} */
  let target = null;
  let begun = { x: 0, y: 0 };

  // Browsers heed `touch-action` only on whole pictures, so a touch of the figure is kept from scrolling here.
  figure.addEventListener("touchstart", (event) => moves().length && event.preventDefault(), { passive: false });
  hold(figure, () => moves().length > 0, {
    begin: ({ clientX, clientY }) => (begun = { x: clientX, y: clientY }),
    move(event) {
      if (Math.hypot(event.clientX - begun.x, event.clientY - begun.y) < TREMBLE) return;
      figure.classList.add("dragged");
      const place = placeIn(picture, event);
      figure.setAttribute("transform", `translate(${place.x} ${place.y + size() * 0.5}) scale(${size() * 1.15})`);
      aim(nearest(place));
    },
    end(released) {
      const choice = target;
      figure.classList.remove("dragged");
      back();
      aim(null);
      if (released) choice?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    },
  });

  /** @param {Element | null} choice */
  function aim(choice) {
    target?.classList.remove("aimed");
    target = choice;
    target?.classList.add("aimed");
  }

  /** @param {DOMPoint} place */
  function nearest(place) {
    /** @type {Element | null} */
    let best = null;
    let least = NEAR * size();
    for (const choice of moves()) {
      const { x, y, width, height } = /** @type {SVGGraphicsElement} */ (choice).getBBox();
      const distance = Math.hypot(place.x - x - width / 2, 1.4 * (place.y - y - height / 2));
      if (distance < least) [best, least] = [choice, distance];
    }
    return best;
  }
}
