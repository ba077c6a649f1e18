/** The parts of a browser's `window` that this SDK uses. */
export interface OpenPage {
  readonly location: { readonly href: string };
  readonly history: { readonly state: unknown; replaceState(state: unknown, unused: string, url: string): void };
}

/** Returns the current page; undefined outside a browser page. */
export function currentPage(): OpenPage | undefined {
  return 'document' in globalThis ? (globalThis as unknown as OpenPage) : undefined;
}

/** Returns the value of `name=` in the page's fragment. */
export function readFragmentParameter({ location }: OpenPage, name: string): string | undefined {
  const parameter = fragmentParameters(location.href).find(text => text.startsWith(`${name}=`));
  return parameter?.slice(name.length + 1);
}

/**
 * Removes `name=value` from the page's address, without a reload or a history entry. Other parts of the fragment, which
 * a router or another script may have written, stay.
 */
export function removeFragmentParameter({ location, history }: OpenPage, name: string, value: string): void {
  const { href } = location;
  const [address = ''] = href.split('#', 1);
  const rest = fragmentParameters(href).filter(text => text !== `${name}=${value}`);
  if (rest.length === fragmentParameters(href).length) return;
  // also without `#`, which alone would scroll to the top
  history.replaceState(history.state, '', rest.length === 0 ? address : `${address}#${rest.join('&')}`);
}

function fragmentParameters(href: string): string[] {
  const at = href.indexOf('#');
  return at === -1 ? [] : href.slice(at + 1).split('&');
}
