/**
 * A list of matches as links. Rows stay where they are under the mouse and the focus: their content changes meanwhile,
 * new ones come at the end, and outdated ones go afterwards.
 */
import { fill, h } from "../../dom/build.js";

/**
 * @typedef {{ code: string, calls?: boolean, content: import("../../dom/build.js").Child[] }} Entry
 * @param {() => void} show shows the newest entries, once nothing holds the rows
 */
export function entries(show) {
  const element = h("ul.entries");
  /** The shown links, by the codes of their matches. @type {Map<string, HTMLAnchorElement>} */
  let links = new Map();
  let pointed = false;
  const enter = (/** @type {PointerEvent} */ event) => (pointed = event.pointerType === "mouse");
  element.addEventListener("pointerenter", enter);
  element.addEventListener("pointerleave", () => ((pointed = false), show()));
  element.addEventListener("focusout", () => requestAnimationFrame(show));

  return {
    element,
    /** @type {(list: Entry[], none: string) => void} */
    show(list, none) {
      links = new Map(
        list.map(({ code, calls = false, content }) => {
          const wanted = h(`a.entry${calls ? ".calls" : ""}`, { href: `/m/${code}`, "data-go": true }, ...content);
          const link = links.get(code) ?? wanted;
          if (!link.isEqualNode(wanted)) fill(link, ...wanted.childNodes);
          link.className = wanted.className;
          return [code, link];
        }),
      );
      const rows = [...links.values()].map((link) => link.parentElement ?? h("li", link));
      if (!rows.length) rows.push(h("li.quiet.none", none));
      const held = element.querySelector(".entry") && (pointed || element.contains(document.activeElement));
      const same = rows.length === element.children.length && rows.every((row, at) => element.children[at] === row);
      if (held) element.append(...rows.filter((row) => links.size && row.parentElement !== element));
      else if (!same) element.replaceChildren(...rows);
    },
    /** @param {string} code */
    focus: (code) => links.get(code)?.focus(),
  };
}
