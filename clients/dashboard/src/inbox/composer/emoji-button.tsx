import { EmojiGrid } from '@support-chat/ui/emoji.jsx';
import { EMOJI, icon } from '@support-chat/ui/icons.jsx';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { standAt } from '../../parts/picker.js';
import { composerText } from './texts/index.js';

/** Opens a grid of emoji, which stays open while several are chosen. */
export function EmojiButton({ onPick }: { onPick(emoji: string): void }) {
  const button = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (!isOpen || !popover.current || !button.current) return;
    popover.current.showPopover();
    standAt(popover.current, button.current);
    popover.current.querySelector('button')?.focus();
  }, [isOpen]);
  return (
    <>
      <button class="icon-button" type="button" ref={button} aria-expanded={isOpen} onClick={() => setOpen(true)}>
        <span class="unseen">{composerText('emoji')}</span>
        {icon(EMOJI)}
      </button>
      {isOpen && (
        <div
          class="picker emoji-picker"
          ref={popover}
          popover="auto"
          onToggle={event => {
            if (event.newState === 'closed') setOpen(false);
          }}
        >
          <EmojiGrid label={composerText('emoji')} onPick={onPick} />
        </div>
      )}
    </>
  );
}
