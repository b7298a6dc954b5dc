/** Dialogs that cover the page until they are closed. */
import { h } from "./build.js";

/**
 * Opens a dialog, which leaves the page when it is closed.
 * @type {(tag: string, props: import("./build.js").Props, ...children: Element[]) => HTMLDialogElement}
 */
export function openDialog(tag, { onclose, ...props }, ...children) {
  const box = h(tag, props, ...children);
  box.addEventListener("close", () => {
    box.remove();
    onclose?.();
  });
  document.body.append(box);
  box.showModal();
  return box;
}

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
    const shown = [h("h2", { id }, title), ...content(agree, cancel)];
    const box = openDialog("dialog.ask", { "aria-labelledby": id, onclose: () => resolve(agreed) }, ...shown);
  });
}
