import styles from './greeting.css?inline';
import { addElement } from './loader/element.js';

/** Names of the button that closes the greeting, by language; set by the build. */
declare const CLOSE_NAMES: Record<string, string>;

export interface GreetingOptions {
  text: string;
  /** Name of the region, which screen readers list. */
  title: string;
  theme: 'light' | 'dark' | 'auto';
  /** BCP 47. */
  locale: string;
  onOpen(): void;
  onClose(): void;
}

/** The module that the loader imports when the greeting is due. */
export interface GreetingModule {
  drawGreeting(root: ShadowRoot, options: GreetingOptions): HTMLElement;
}

/** Draws a text that opens the chat, and a button that closes it. */
export function drawGreeting(root: ShadowRoot, options: GreetingOptions): HTMLElement {
  const { text, title, theme, locale, onOpen, onClose } = options;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets.push(sheet);
  const region = addElement(root, 'div', { className: 'welcome', role: 'region', ariaLabel: title, dir: 'auto' });
  region.style.colorScheme = theme === 'auto' ? 'light dark' : theme;
  const content = addElement(region, 'button', { type: 'button', onclick: onOpen });
  addElement(content, 'span', { textContent: text });
  addElement(region, 'button', { type: 'button', textContent: '×', ariaLabel: closeName(locale), onclick: onClose });
  return region;
}

function closeName(locale: string): string {
  const names = Object.entries(CLOSE_NAMES);
  const language = locale.slice(0, 2);
  const match = names.find(([name]) => name === locale) ?? names.find(([name]) => name.startsWith(language));
  return match?.[1] ?? 'Close';
}
