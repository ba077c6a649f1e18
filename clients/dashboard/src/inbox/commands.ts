import type { InboxText } from './texts/index.js';

/** An action of an agent: by key, by the palette, and mostly by a button. */
export interface Command {
  readonly id: string;
  readonly name: InboxText;
  /** Keys as `tinykeys` takes them: `j`, `Shift+E`, `g i`, `$mod+k`. Keys without a modifier can be switched off. */
  readonly keys: readonly string[];
  readonly group: 'groupMove' | 'groupAct' | 'groupWrite' | 'groupGo';
  /** False while it has no effect. */
  isPossible?(): boolean;
  run(): void;
}

const SYMBOLS: Record<string, string> = {
  $mod: 'Ctrl',
  Shift: '⇧',
  Enter: '↵',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
};
const MAC_SYMBOLS: Record<string, string> = { $mod: '⌘' };

/** The keys of a command as they are shown. */
export function keyLabel(keys: string, isMac = isApple()): string {
  // the sign itself is named, because keyboards differ
  if (keys === 'Shift+?') return '?';
  return keys
    .split(' ')
    .map(press =>
      press
        .split('+')
        .map(part => (isMac ? MAC_SYMBOLS[part] : undefined) ?? SYMBOLS[part] ?? part.toUpperCase())
        .join(isMac || press.startsWith('Shift+') ? '' : '+'),
    )
    .join(' ');
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}

/** True for keys that a person may press while writing elsewhere, so that they can be switched off. */
export function isSingleKey(keys: string): boolean {
  return !/\$mod|Control|Alt|Meta|Escape/.test(keys);
}
