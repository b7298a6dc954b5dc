/**
 * Dragging a figure to one of its choices. Releasing it over a choice is a click on that choice; anywhere else nothing
 * happens.
 */

/** The largest distance between pointer and choice, in sizes of a square. */
const NEAR = 0.9;
/** The shortest drag in pixels; shorter ones are clicks. */
const TREMBLE = 6;

/**
 * @param {SVGSVGElement} picture
 * @param {SVGGElement} figure
 * @param {{ moves: () => Element[], back: () => void, size: () => number }} acts
 */
export function grab(picture, figure, { moves, back, size }) {
  /** @type {Element | null} */
  let target = null;
  /** @type {{ x: number, y: number } | null} */
  let begun = null;

  figure.addEventListener("pointerdown", (event) => {
    if (!moves().length || event.button !== 0) return;
    event.preventDefault();
    begun = { x: event.clientX, y: event.clientY };
    figure.setPointerCapture(event.pointerId);
  });
  // Browsers heed `touch-action` only on whole pictures, so a touch of the figure is kept from scrolling here.
  figure.addEventListener("touchstart", (event) => moves().length && event.preventDefault(), { passive: false });
  /** @param {PointerEvent} event */
  const drag = (event) => {
    if (!begun || Math.hypot(event.clientX - begun.x, event.clientY - begun.y) < TREMBLE) return;
    figure.classList.add("dragged");
    const place = inside(event);
    figure.setAttribute("transform", `translate(${place.x} ${place.y + size() * 0.5}) scale(${size() * 1.15})`);
    aim(nearest(place));
  };
  figure.addEventListener("pointermove", drag);
  /** @param {boolean} drop */
  const end = (drop) => {
    if (!begun) return;
    begun = null;
    figure.classList.remove("dragged");
    back();
    const choice = target;
    aim(null);
    if (drop && choice) choice.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  };
  figure.addEventListener("pointerup", (event) => {
    // A busy browser may skip the last pointer moves.
    drag(event);
    end(true);
  });
  figure.addEventListener("pointercancel", () => end(false));

  /** @param {Element | null} choice */
  function aim(choice) {
    target?.classList.remove("aimed");
    target = choice;
    target?.classList.add("aimed");
  }

  /** @param {PointerEvent} event */
  function inside(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM()?.inverse());
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
