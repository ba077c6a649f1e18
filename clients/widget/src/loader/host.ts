import styles from './host.css?inline';
import { addElement } from './element.js';

/**
 * Events that must not reach the page: its shortcuts would react to what a visitor writes, and its dialogs would take the
 * focus back.
 */
const OWN_EVENTS =
  'keydown keypress keyup beforeinput input change paste copy cut dragstart dragenter dragover dragleave drop focusin focusout';

/** The element that holds the widget, outside of the body, which some pages replace while they navigate. */
export interface Host {
  element: HTMLElement;
  root: ShadowRoot;
  /** Removes the element for good. */
  remove(): void;
}

/**
 * Adds the element with an open shadow root. Its styles are a constructed sheet, which no Content-Security-Policy of a
 * page forbids. If a script of the page removes the element, it is put back, with the focus that it had.
 */
export function addHost(): Host {
  const page = document.documentElement;
  const element = addElement(page, 'support-chat' as 'div', { id: 'support-chat' });
  element.dataset.turboPermanent = '';
  const root = element.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  for (const type of OWN_EVENTS.split(' ')) root.addEventListener(type, event => event.stopPropagation());
  let blurred: HTMLElement | undefined;
  root.addEventListener('focusout', ({ target }) => {
    blurred = target as HTMLElement;
    setTimeout(() => (blurred = undefined));
  });
  const observer = new MutationObserver(() => {
    if (element.isConnected) return;
    page.append(element);
    blurred?.focus();
  });
  observer.observe(page, { childList: true });
  return {
    element,
    root,
    remove() {
      observer.disconnect();
      element.remove();
    },
  };
}
