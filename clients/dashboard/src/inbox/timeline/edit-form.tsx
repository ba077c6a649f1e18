import type { MessageView } from '@support-chat/sdk';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { useDesk } from '../../desk/desk-context.js';
import { failureText } from '../failure-text.js';
import { t } from '../texts/index.js';

/** Changes the text of an own message where it stands. What was typed stays when the service refuses it. */
export function EditForm({ message, onDone }: { message: MessageView; onDone(): void }) {
  const { agent, store } = useDesk();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(message.content ?? '');
  const [isSaving, setSaving] = useState(false);
  const [failure, setFailure] = useState<string>();
  useEffect(() => field.current?.focus(), []);

  const save = async () => {
    const content = text.trim();
    if (content === '' || isSaving) return;
    if (content === message.content) return onDone();
    setSaving(true);
    try {
      store.applyMessage(await agent.conversations.edit(message.conversation_id, message.id, { content }));
      onDone();
    } catch (error) {
      setSaving(false);
      setFailure(failureText(error));
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') onDone();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <form
      class="edit"
      onSubmit={event => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        ref={field}
        aria-label={t('editText')}
        dir="auto"
        maxLength={20_000}
        value={text}
        onInput={event => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {failure && (
        <p class="fault" role="alert">
          {t('notSaved', { reason: failure })}
        </p>
      )}
      <div class="buttons">
        <Button look="quiet" onClick={onDone}>
          {t('cancel')}
        </Button>
        <Button type="submit" isWaiting={isSaving}>
          {t('save')}
        </Button>
      </div>
    </form>
  );
}
