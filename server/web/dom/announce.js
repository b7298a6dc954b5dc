/**
 * What is told to those who listen rather than look.
 */

/**
 * @param {string} text
 * @param {boolean} [urgent]
 */
export function announce(text, urgent = false) {
  const region = document.getElementById(urgent ? "urgent" : "polite");
  if (!region) return;
  // The same words again are a new announcement only if the text changed in between.
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}
