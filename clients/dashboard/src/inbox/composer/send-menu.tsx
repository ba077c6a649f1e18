import { icon } from '@support-chat/ui/icons.jsx';
import { useRef, useState } from 'preact/hooks';
import { Picker, type PickerOption } from '../../parts/picker.js';
import { preferences, setPreferences } from '../../preferences.js';
import { keyLabel } from '../commands.js';
import { snoozeTimes } from '../snooze-times.js';
import { formats, t } from '../texts/index.js';
import { composerText } from './texts/index.js';

const UP = 'M6 15l6-6 6 6';

interface SendMenuProps {
  isNote: boolean;
  onResolve(): void;
  onSnooze(until: Date | undefined): void;
}

/** Other ways to send, beside the button. */
export function SendMenu({ isNote, onResolve, onSnooze }: SendMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const times = snoozeTimes(new Date());
  const toSend: PickerOption[] = [
    { id: 'resolve', name: composerText('sendAndResolve'), hint: keyLabel('$mod+Shift+Enter') },
    ...times.map(({ name, at }) => ({
      id: name,
      name: composerText('sendAndSnooze', { time: t(name) }),
      hint: `${formats().day(at.toISOString())} ${formats().clock(at.toISOString())}`,
    })),
    { id: 'untilReply', name: composerText('sendAndSnooze', { time: t('untilReply') }) },
  ];
  const options = [
    ...(isNote ? [] : toSend),
    { id: 'enter', name: composerText('enterSends'), hint: keyLabel('Enter'), isChosen: preferences().enterSends },
  ];
  const pick = (id: string) => {
    if (id === 'enter') setPreferences({ enterSends: !preferences().enterSends });
    else if (id === 'resolve') onResolve();
    else onSnooze(times.find(({ name }) => name === id)?.at);
  };
  return (
    <>
      <button
        class="button primary more-ways"
        type="button"
        ref={button}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <span class="unseen">{composerText('otherWays')}</span>
        {icon(UP)}
      </button>
      {isOpen && button.current && (
        <Picker
          label={composerText('otherWays')}
          anchor={button.current}
          options={options}
          isWide
          nothing={t('nothingFound')}
          onPick={pick}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
