/** By which the page's policy knows style sheets that its own code writes. New in each answer of the gateway. */
export function styleNonce(): string {
  return document.querySelector<HTMLElement>("meta[property=csp-nonce]")?.nonce ?? "";
}
