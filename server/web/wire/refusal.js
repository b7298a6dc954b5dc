/**
 * A request that was not done, with the server's own words about why.
 */
export class Refusal extends Error {
  /** @param {{ reason: string, message: string }} refused */
  constructor(refused) {
    super(refused.message);
    this.reason = refused.reason;
  }
}
