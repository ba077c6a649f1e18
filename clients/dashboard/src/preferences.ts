import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

/** Choices of a person for this browser. All tabs share them. */
export interface Preferences {
  theme: Theme;
  /** Keys without a modifier, such as `e`, act in the inbox. */
  singleKeys: boolean;
  /** Enter sends a message. Otherwise it begins a line, and Ctrl+Enter or ⌘Enter sends. */
  enterSends: boolean;
  /** New notifications are shown by the browser, if it allows them. */
  browserNotices: boolean;
  /** New notifications play a sound. */
  sound: boolean;
}

const KEY = 'support-chat:preferences';
const DEFAULTS: Preferences = {
  theme: 'system',
  singleKeys: true,
  enterSends: true,
  browserNotices: false,
  sound: false,
};

const current = signal<Preferences>(read());

export function preferences(): Preferences {
  return current.value;
}

/** Takes effect at once, also in other tabs. Without storage it lasts as long as the page. */
export function setPreferences(change: Partial<Preferences>): void {
  current.value = { ...current.peek(), ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(current.peek()));
  } catch {
    // storage is denied
  }
}

/** Applies the theme to the page, and follows the changes of other tabs. */
export function startPreferences(): void {
  window.addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) current.value = read();
  });
  effect(() => {
    const { theme } = current.value;
    document.documentElement.style.colorScheme = theme === 'system' ? '' : theme;
  });
}

function read(): Preferences {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Record<keyof Preferences, unknown>>;
    const { theme, singleKeys, enterSends, browserNotices, sound } = stored;
    return {
      theme: theme === 'light' || theme === 'dark' ? theme : DEFAULTS.theme,
      singleKeys: typeof singleKeys === 'boolean' ? singleKeys : DEFAULTS.singleKeys,
      // the keyboards of phones have no Shift+Enter
      enterSends: typeof enterSends === 'boolean' ? enterSends : !matchMedia('(pointer: coarse)').matches,
      browserNotices: browserNotices === true,
      sound: sound === true,
    };
  } catch {
    return DEFAULTS;
  }
}
