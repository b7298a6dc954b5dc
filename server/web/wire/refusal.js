/** The error of a refused request, with the server's reason and its English message. */
export class Refusal extends Error {
  /** @param {{ reason: import("./types.js").RefusalReason, message: string }} refused */
  constructor(refused) {
    super(refused.message);
    this.reason = refused.reason;
  }
}
