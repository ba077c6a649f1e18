import { signal } from '@preact/signals';

const KEY = 'support-chat:single-keys';

/** True if commands have keys without Ctrl or ⌘. Kept in this browser. */
export const hasSingleKeys = signal(read() !== 'off');

export function setSingleKeys(isOn: boolean): void {
  hasSingleKeys.value = isOn;
  try {
    localStorage.setItem(KEY, isOn ? 'on' : 'off');
  } catch {
    // holds for this page
  }
}

function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
