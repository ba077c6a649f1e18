/** What of a browser's window is used here; `window` is one. */
export interface OpenPage {
  readonly location: { readonly href: string };
  readonly history: { readonly state: unknown; replaceState(state: unknown, unused: string, url: string): void };
}

/** The page that this runs in, if it runs in one. */
export function currentPage(): OpenPage | undefined {
  return 'document' in globalThis ? (globalThis as unknown as OpenPage) : undefined;
}

/** The value behind `name=` in the page's fragment. */
export function readFragmentParameter({ location }: OpenPage, name: string): string | undefined {
  const parameter = fragmentParameters(location.href).find(text => text.startsWith(`${name}=`));
  return parameter?.slice(name.length + 1);
}

/**
 * Takes `name=value` out of the page's address: no reload, no entry in its history, and what a router or another
 * script has written beside it, or in its place, stays.
 */
export function removeFragmentParameter({ location, history }: OpenPage, name: string, value: string): void {
  const { href } = location;
  const [address = ''] = href.split('#', 1);
  const rest = fragmentParameters(href).filter(text => text !== `${name}=${value}`);
  if (rest.length === fragmentParameters(href).length) return;
  // an address without even `#`: that alone would scroll to the top
  history.replaceState(history.state, '', rest.length === 0 ? address : `${address}#${rest.join('&')}`);
}

function fragmentParameters(href: string): string[] {
  const at = href.indexOf('#');
  return at === -1 ? [] : href.slice(at + 1).split('&');
}
