import type { MessageView } from '@support-chat/sdk';
import { MORE, icon } from '@support-chat/ui/icons.jsx';
import { useRef, useState } from 'preact/hooks';
import { Picker, type PickerOption } from '../../parts/picker.js';
import { useDesk } from '../../desk/desk-context.js';
import { failureText } from '../failure-text.js';
import { minute } from '../minute.js';
import { t } from '../texts/index.js';

/** Own messages can be edited and unsent for this time. */
const EDIT_MS = 15 * 60_000;

interface MessageMenuProps {
  message: MessageView;
  isOwn: boolean;
  onEdit(): void;
}

/** The actions on a message. */
export function MessageMenu({ message, isOwn, onEdit }: MessageMenuProps) {
  const { agent, toasts, store } = useDesk();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const { id, conversation_id: conversationId, content, created_at } = message;
  const isChangeable = isOwn && minute.value - Date.parse(created_at) < EDIT_MS;
  const options: PickerOption[] = [{ id: 'link', name: t('copyLink') }];
  if (content) options.unshift({ id: 'copy', name: t('copyText') });
  if (isChangeable && content) options.push({ id: 'edit', name: t('edit') });
  if (isChangeable) options.push({ id: 'unsend', name: t('unsend') });

  const unsend = async () => {
    try {
      await agent.conversations.unsend(conversationId, id);
      store.applyMessage({ ...message, content: null, attachments: [], deleted_at: new Date().toISOString() });
    } catch (error) {
      toasts.show({ kind: 'failed', text: t('notUnsent', { reason: failureText(error) }) });
    }
  };
  const pick = (option: string) => {
    if (option === 'edit') onEdit();
    else if (option === 'unsend') void unsend();
    else void copy(option === 'copy' ? (content ?? '') : linkTo(message));
  };
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text).then(
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
    </>
  );
}

function linkTo({ conversation_id, id }: MessageView): string {
  const base = location.pathname.replace(/\/inbox.*$/, '');
  return `${location.origin}${base}/inbox/all/${conversation_id}?message=${id}`;
}
