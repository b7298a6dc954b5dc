/**
 * A list of matches as links, in one row of a fixed height. While the list is shown, no row changes its place for
 * another one: new ones come at the end. Outdated ones go when neither a pointer nor the focus holds the list and it is
 * not scrolled; until then they lead to matches that can still be opened.
 */
import { fill, h } from "../../dom/build.js";

/** The time after a touch for which the list stays as it is, because the click follows. */
const HELD_MS = 600;

/**
 * @typedef {Child[] | string} Content
 * @typedef {{ code: string, calls?: boolean, who: Content, game: Content, state: Content, act: Content }} Entry
 * @param {() => void} show shows the newest entries, once nothing holds the rows
 */
export function entries(show) {
  const element = h("ul.entries");
  /** The shown links, by the codes of their matches, in their order. @type {Map<string, HTMLAnchorElement>} */
  const links = new Map();
  let pointed = false;
  let timer = 0;
  const release = () => {
    pointed = false;
    show();
  };
  element.addEventListener("pointerenter", () => {
    clearTimeout(timer);
    pointed = true;
  });
  element.addEventListener("pointerleave", (/** @type {PointerEvent} */ { pointerType }) => {
    timer = setTimeout(release, pointerType === "mouse" ? 0 : HELD_MS);
  });
  element.addEventListener("focusout", () => requestAnimationFrame(show));
  element.addEventListener("scrollend", show);

  /** @param {Entry} entry */
  function update({ code, calls = false, ...parts }) {
    const content = Object.entries(parts).map(([name, part]) => h(`span.entry-${name}`, part));
    const wanted = h(`a.entry${calls ? ".calls" : ""}`, { href: `/m/${code}`, "data-go": true }, ...content);
    const link = links.get(code);
    if (!link) return void links.set(code, wanted);
    if (!link.isEqualNode(wanted)) fill(link, ...wanted.childNodes);
    link.className = wanted.className;
  }

  return {
    element,
    /** @type {(list: Entry[], none: string) => void} */
    show(list, none) {
      list.forEach(update);
      const codes = new Set(list.map(({ code }) => code));
      const held = pointed || element.contains(document.activeElement) || element.scrollLeft > 0;
      for (const code of held ? [] : [...links.keys()]) if (!codes.has(code)) links.delete(code);
      const rows = [...links.values()].map((link) => link.parentElement ?? h("li", link));
      if (!rows.length) rows.push(h("li.quiet.none", none));
      const same = rows.length === element.children.length && rows.every((row, at) => element.children[at] === row);
      if (same) return;
      if (held && links.size) element.append(...rows.filter((row) => row.parentElement !== element));
      else element.replaceChildren(...rows);
    },
    /** @param {string} code */
    focus: (code) => links.get(code)?.focus(),
  };
}
