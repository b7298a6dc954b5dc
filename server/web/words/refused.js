/**
 * Why something was not done, in the reader's language. The server's own text, which is English, is what is said where
 * there are no words for a reason, and the detail where it carries what no general sentence can.
 */
import { maybe } from "./words.js";

/** @param {{ reason?: string, message: string }} why */
export function refused({ reason, message }) {
  const words = reason ? maybe(`refused.${reason}`) : null;
  return words ? words.replace("{detail}", () => message) : message;
}
