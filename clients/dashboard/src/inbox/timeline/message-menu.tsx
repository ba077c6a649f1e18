import type { MessageView } from '@support-chat/sdk';
import { MORE, icon } from '@support-chat/ui/icons.jsx';
import { useRef, useState } from 'preact/hooks';
import { conversationPath } from '../../conversation-path.js';
import { Confirmation } from '../../parts/confirmation.js';
import { copyText } from '../../parts/copy-text.js';
import { Picker, type PickerOption } from '../../parts/picker.js';
import { useDesk } from '../../desk/desk-context.js';
import { failureText } from '../failure-text.js';
import { minute } from '../minute.js';
import { t } from '../texts/index.js';
import { chosenQuote } from './chosen-quote.js';
import { edits, isChangeable } from './edits.js';
import { timelineText } from './texts/index.js';

/** The actions on a message. */
export function MessageMenu({ message }: { message: MessageView }) {
  const { agent, toasts, store, memberId } = useDesk();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const { id, conversation_id: conversationId, content } = message;
  const canChange = isChangeable(message, memberId, minute.value);
  const options: PickerOption[] = [{ id: 'link', name: t('copyLink') }];
  if (content) options.unshift({ id: 'copy', name: t('copyText') });
  options.unshift({ id: 'answer', name: timelineText('answer') });
  if (canChange && content) options.push({ id: 'edit', name: t('edit') });
  if (canChange) options.push({ id: 'unsend', name: t('unsend') });

  const unsend = async () => {
    await agent.conversations.unsend(conversationId, id);
    store.applyMessage({ ...message, content: null, attachments: [], deleted_at: new Date().toISOString() });
  };
  const pick = (option: string) => {
    if (option === 'answer') chosenQuote.value = message;
    else if (option === 'edit') edits.set(id, content ?? '');
    else if (option === 'unsend') setAsking(true);
    else void copy(option === 'copy' ? (content ?? '') : linkTo(message));
  };
  const copy = async (text: string) => {
    await copyText(text).then(
      () => toasts.show({ kind: 'done', text: t('copied') }),
      () => toasts.show({ kind: 'failed', text: t('notCopied') }),
    );
  };
  return (
    <>
      <button
        class="more"
        type="button"
        ref={button}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <span class="unseen">{t('messageActions')}</span>
        {icon(MORE)}
      </button>
      {isOpen && button.current && (
        <Picker
          label={t('messageActions')}
          anchor={button.current}
          options={options}
          nothing={t('nothingFound')}
          onPick={pick}
          onClose={() => setOpen(false)}
        />
      )}
      {isAsking && (
        <Confirmation
          title={timelineText('unsendTitle')}
          action={t('unsend')}
          describe={error => t('notUnsent', { reason: failureText(error) })}
          onConfirm={unsend}
          onClose={() => setAsking(false)}
        >
          {timelineText('unsendText')}
        </Confirmation>
      )}
    </>
  );
}

function linkTo({ conversation_id, id }: MessageView): string {
  const base = location.pathname.replace(/\/inbox.*$/, '');
  return `${location.origin}${base}${conversationPath(conversation_id, id)}`;
}
