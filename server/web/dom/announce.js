/** Announcements to screen readers through the live regions of index.html. */

/** Announces a text, politely or at once. @type {(text: string, urgent?: boolean) => void} */
export function announce(text, urgent = false) {
  const region = document.getElementById(urgent ? "urgent" : "polite");
  if (!region) return;
  // A live region announces only changes, so a repeated text gets an invisible difference.
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}
