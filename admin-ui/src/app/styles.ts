import { styleNonce } from "./nonce";

/**
 * The terminal writes its colours and sizes into `<style>` elements of its own, and so does what keeps the page still
 * behind a dialog. The page's policy refuses those without the nonce, and they have no setting for it: so every element
 * that is made from now on gets it. Called once.
 */
export function allowOwnStyles() {
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
