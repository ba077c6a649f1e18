import type { Chat, Shell } from './seam.js';
import { render } from 'preact';
import panelStyles from './panel.css?inline';

export function start(shell: Shell): Chat {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(panelStyles);
  shell.root.adoptedStyleSheets.push(sheet);
  render(<p>Hello</p>, shell.panel);
  const later = (): Promise<void> => Promise.resolve();
  const none = (): void => undefined;
  return {
    opened: none,
    closed: none,
    identify: later,
    setAttributes: later,
    newMessage: none,
    openConversation: none,
    setLocale: none,
    setTheme: none,
    setPage: none,
    shutdown: later,
  };
}
