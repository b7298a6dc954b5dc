// The names that the page draws for guests who chose none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { guestName, seatName } from "../../../server/web/views/player_names.js";

test("the drawn names of two players differ in their first words", () => {
  const [one] = guestName("guest 0", null).split(" ");
  const ids = Array.from({ length: 200 }, (_, number) => `guest ${number}`);
  const same = ids.filter((id) => guestName(id, null).split(" ")[0] === one);
  assert.ok(same.length > 1, "the test needs two guests with one first word");
  const player = (/** @type {string} */ guest, name = "") => ({ kind: /** @type {const} */ ("human"), guest, name });
  for (const id of ids) {
    const state = /** @type {any} */ ({ players: { creator: player("guest 0"), joiner: player(id) } });
    const [creator, joiner] = [seatName(state, "creator"), seatName(state, "joiner")];
    assert.equal(creator, guestName("guest 0", null));
    assert.notEqual(creator.split(" ")[0], joiner.split(" ")[0]);
    if (!same.includes(id)) assert.equal(joiner, guestName(id, null));
  }
  const chosen = /** @type {any} */ ({ players: { creator: player("guest 0"), joiner: player("guest 1", one) } });
  assert.equal(seatName(chosen, "joiner"), one, "a chosen name stays as it is");
});
