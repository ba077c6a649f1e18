import { render } from 'preact';
import { ChatController } from './chat.js';
import styles from './chat.css?inline';
import { loadLanguage } from './languages.js';
import type { Chat, Shell } from './seam.js';
import { watchTheme } from './theme.js';
import { App } from './views/app-view.jsx';
import { keepFocus } from './views/keep-focus.js';

/**
 * Starts the chat in the panel of the loader, in the visitor's language. Opens no session until the panel is opened, or
 * if the visitor has been here before.
 */
export async function start(shell: Shell): Promise<Chat> {
  const { baseUrl, options, config } = shell;
  const requested = [options.locale, config.locale, ...navigator.languages].filter(tag => tag != null);
  const language = await loadLanguage(baseUrl, ...requested);
  const sheet = new CSSStyleSheet();
  // A constructed sheet is exempt from the page's Content-Security-Policy.
  sheet.replaceSync(styles);
  shell.root.adoptedStyleSheets.push(sheet);
  const chat = new ChatController(shell, language);
  const theme = watchTheme(shell);
  const wake = (): void => {
    if (document.visibilityState !== 'visible') return;
    // a suspended page receives no storage events
    chat.followOtherTabs();
    chat.connection.wake();
    chat.sendWaiting();
    chat.changed();
    chat.reads.schedule();
  };
  const allowSound = (): void => chat.sound.allow();
  const changed = (): void => chat.changed();
  const onStorage = ({ key }: StorageEvent): void => {
    const names = ['session', 'person', 'outbox:'];
    if (!key || names.some(name => key.startsWith(chat.storage.key(name)))) chat.followOtherTabs();
  };
  window.addEventListener('storage', onStorage);
  window.addEventListener('online', wake);
  window.addEventListener('offline', changed);
  document.addEventListener('visibilitychange', wake);
  shell.panel.addEventListener('pointerdown', allowSound, { once: true });
  shell.panel.addEventListener('keydown', allowSound, { once: true });
  render(<App chat={chat} />, shell.panel);
  const endFocus = keepFocus(shell.panel);
  if (chat.storage.isReturning || chat.outbox.items.length > 0) chat.connection.connect();
  return {
    opened(byVisitor) {
      chat.setOpen(true);
      const composer = shell.panel.querySelector('textarea');
      // On a touch screen the keyboard would cover half of what there is to read.
      if (byVisitor && composer && !matchMedia('(pointer: coarse)').matches) composer.focus();
    },
    closed: () => chat.setOpen(false),
    identify: identity => chat.identify(identity),
    setAttributes: attributes => chat.connection.setAttributes(attributes),
    newMessage: text => chat.newMessage(text),
    openConversation: id => chat.show({ name: 'thread', id }),
    setLocale: locale => void chat.setLocale(locale),
    setTheme: mode => theme.set(mode),
    setPage: (url = location.href, title = document.title) => chat.connection.reportPage({ url, title }),
    shutdown() {
      window.removeEventListener('storage', onStorage);
      window.removeEventListener('online', wake);
      window.removeEventListener('offline', changed);
      document.removeEventListener('visibilitychange', wake);
      theme.stop();
      endFocus();
      chat.shutdown();
      render(null, shell.panel);
      return Promise.resolve();
    },
  };
}
