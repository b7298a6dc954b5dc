/**
 * The server's clock as the page knows it. It counts with `performance.now()`, because a person or a time service may
 * set the device's clock at any moment. Where a sleep of the device stops that counter, a comparison with the
 * device's clock finds the sleep, and the page asks the server for its time again.
 */

/** A gap between the two clocks of the device that no correction of its clock's speed explains, in milliseconds. */
const SLEPT_MS = 1_000;

export class ServerClock {
  /** The server's time at the page's time origin, in milliseconds since 1970. Before the first message a guess. */
  #origin = deviceOrigin();
  #device = deviceOrigin();

  /** Takes the server's time from a message that has just arrived. @param {number} now */
  set(now) {
    this.#origin = now - performance.now();
  }

  /** Takes the time of an event. The server has reached it, whatever the page believed. @param {number} at */
  reach(at) {
    this.#origin = Math.max(this.#origin, at - performance.now());
  }

  /** Returns the time on the server's clock, in milliseconds since 1970. */
  now() {
    return performance.now() + this.#origin;
  }

  /** Returns whether the device seems to have slept since the last call. A clock set forwards looks the same. */
  hasSlept() {
    const before = this.#device;
    this.#device = deviceOrigin();
    return this.#device - before > SLEPT_MS;
  }
}

/** The time origin by the device's clock. It moves when that clock is set, and when only `performance.now()` stops. */
function deviceOrigin() {
  return Date.now() - performance.now();
}
