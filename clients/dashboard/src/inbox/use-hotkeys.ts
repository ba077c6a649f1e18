import { useEffect } from 'preact/hooks';
import { tinykeys } from 'tinykeys';
import { isSingleKey, type Command } from './commands.js';
import { preferences } from '../preferences.js';

/** Runs commands by their keys: not while somebody writes, and single ones only if the member wants them. */
export function useHotkeys(commands: readonly Command[]): void {
  useEffect(() => {
    const bindings: Record<string, (event: KeyboardEvent) => void> = {};
    for (const command of commands) {
      for (const keys of command.keys) {
        bindings[keys] = event => {
          if (isSingleKey(keys) && (!preferences().singleKeys || isWriting(event))) return;
          if (command.isPossible?.() === false) return;
          event.preventDefault();
          command.run();
        };
      }
    }
    return tinykeys(window, bindings);
  }, [commands]);
}

function isWriting({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.closest('input, textarea, select, dialog, [popover], [contenteditable]') !== null;
}
