/**
 * The pictures of Fib Fob and its parts: the same instruments, all or some of them.
 *
 * @import { Scene } from "./picture.js"
 */
import { h } from "../dom/build.js";
import { dial } from "./dial.js";
import { stack } from "./stack.js";
import { tanks } from "./tanks.js";

const PARTS = { stack, dial, tanks };

/** @param {...keyof typeof PARTS} names */
export function cockpit(...names) {
  return () => {
    const parts = names.map((name) => PARTS[name]());
    const [first, ...rest] = parts.map(({ element }) => element);
    const element = h(`div.cockpit.of-${names.length}`, first, rest.length ? h("div.instruments", ...rest) : null);
    return { element, update: (/** @type {Scene} */ scene) => parts.forEach(({ update }) => update(scene)) };
  };
}
