/** Dialogs that cover the page until they are closed. */
import { form, h } from "./build.js";

/** @type {(tag: string, props: import("./build.js").Props, ...children: Element[]) => HTMLDialogElement} */
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
 * Asks a question and resolves to whether it was agreed to.
 * @param {{ id: string, title: string, yes: string, no: string }} words   with the title's id
 * @param {...Element} content
 * @returns {Promise<boolean>}
 */
export function ask({ id, title, yes, no }, ...content) {
  return new Promise((resolve) => {
    let agreed = false;
    const agree = () => {
      agreed = true;
      box.close();
    };
    const cancel = h("button", { onclick: () => box.close() }, no);
    const answers = h("div.row", cancel, h("button.primary", { type: "submit" }, yes));
    const asked = [h("h2", { id }, title), form("form", agree, ...content, answers)];
    const box = openDialog("dialog.ask", { "aria-labelledby": id, onclose: () => resolve(agreed) }, ...asked);
  });
}
