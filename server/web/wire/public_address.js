/**
 * The address at which others reach the server: the one that the operator has named, or this page's own.
 */
let address = location.origin;

export function public_address() {
  return address;
}

/** @param {string | undefined} named what `welcome` says */
export function set_public_address(named) {
  address = named ?? location.origin;
}
