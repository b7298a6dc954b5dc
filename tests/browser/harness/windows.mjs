/**
 * The windows in which boards, instruments and the button that plays a move have to be seen together.
 */

export const WINDOWS = [
  { name: "phone portrait", width: 390, height: 844 },
  { name: "small phone", width: 360, height: 640 },
  { name: "narrow phone", width: 320, height: 640 },
  { name: "common phone", width: 360, height: 740 },
  { name: "phone landscape", width: 844, height: 390 },
  { name: "200 % zoom of 1920×1080", width: 960, height: 540 },
  { name: "letters of 32 px in 1920×1080", width: 1920, height: 1080, font: "32px" },
];

/**
 * The selectors whose elements do not lie wholly in the window.
 * @param {Pick<import("playwright-core").Page, "evaluate">} page
 * @param {string[]} selectors
 */
export function outside(page, selectors) {
  return page.evaluate((selectors) => {
    return selectors.flatMap((selector) => {
      const found = [...document.querySelectorAll(selector)];
      if (!found.length) return [`${selector}: missing`];
      return found.flatMap((element) => {
        const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
        const inside = left >= -1 && top >= -1 && right <= innerWidth + 1 && bottom <= innerHeight + 1;
        return inside && width > 0 && height > 0 ? [] : [`${selector}: ${[left, top, right, bottom].map(Math.round)}`];
      });
    });
  }, selectors);
}
