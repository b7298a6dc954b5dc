/**
 * The texts of refusals in the reader's language. A reason without a text falls back to the server's English message,
 * which also fills in the detail of texts with `{detail}`.
 */
import { maybe } from "./words.js";

/**
 * Returns the text of a refusal or of another error.
 * @param {{ reason?: string, message: string }} error
 */
export function refusal_text({ reason, message }) {
  const words = reason ? maybe(`refused.${reason}`) : null;
  return words ? words.replace("{detail}", () => message) : message;
}
