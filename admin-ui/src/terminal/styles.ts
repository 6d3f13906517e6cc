import { styleNonce } from "../app/nonce";

const PATCHED = Symbol.for("hermit.styles");

/**
 * The terminal writes its colours and sizes into `<style>` elements of its own. The page's policy refuses those without
 * the nonce, and the terminal has no setting for it: so every element that is made from now on gets it.
 */
export function allowOwnStyles() {
  const patched = document as Document & { [PATCHED]?: true };
  if (patched[PATCHED]) return;
  patched[PATCHED] = true;
  const create = document.createElement.bind(document) as (
    name: string,
    options?: ElementCreationOptions,
  ) => HTMLElement;
  document.createElement = ((name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = styleNonce();
    return element;
  }) as typeof document.createElement;
}
