/**
 * A question in a dialog that covers the page.
 */
import { h } from "./build.js";

/**
 * Asks a question and resolves to whether it was agreed to. `content` gets the functions of its two buttons and
 * returns what is shown under the title.
 * @param {{ id: string, title: string, content: (agree: () => void, cancel: () => void) => Element[] }} question
 * @returns {Promise<boolean>}
 */
export function ask({ id, title, content }) {
  return new Promise((resolve) => {
    let agreed = false;
    const cancel = () => box.close();
    const agree = () => {
      agreed = true;
      box.close();
    };
    const onclose = () => {
      box.remove();
      resolve(agreed);
    };
    const box = h("dialog.ask", { "aria-labelledby": id, onclose }, h("h2", { id }, title), ...content(agree, cancel));
    document.body.append(box);
    box.showModal();
  });
}
