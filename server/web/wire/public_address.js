/** The address at which others reach the server: the one that the operator has named, or this page's own. */
let address = location.origin;

export function publicAddress() {
  return address;
}

/** @param {string | undefined} named what `welcome` says */
export function setPublicAddress(named) {
  address = named ?? location.origin;
}
