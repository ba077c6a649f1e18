import styles from './host.css?inline';
import { addElement } from './element.js';

/** Events that must not reach the page: its shortcuts would react to what a visitor writes. */
const OWN_EVENTS =
  'keydown keypress keyup beforeinput input change paste copy cut dragstart dragenter dragover dragleave drop';

/** The element that holds the widget, outside of the body, which some pages replace while they navigate. */
export interface Host {
  element: HTMLElement;
  root: ShadowRoot;
  /** Removes the element for good. */
  remove(): void;
}

/**
 * Adds the element with an open shadow root. Its styles are a constructed sheet, which no Content-Security-Policy of a
 * page forbids. If a script of the page removes the element, it is put back.
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
  const observer = new MutationObserver(() => {
    if (!element.isConnected) page.append(element);
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
