import type { MessageView } from '@support-chat/sdk';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { useDesk } from '../../desk/desk-context.js';
import { failureText } from '../failure-text.js';
import { t } from '../texts/index.js';
import { edits } from './edits.js';
import { composerText } from '../composer/texts/index.js';

const MAX_CHARS = 20_000;

/** Changes the text of an own message where it stands. What was typed stays when the service refuses it. */
export function EditForm({ message }: { message: MessageView }) {
  const { agent, store } = useDesk();
  const { id, conversation_id: conversationId } = message;
  const field = useRef<HTMLTextAreaElement>(null);
  const [isSaving, setSaving] = useState(false);
  const [failure, setFailure] = useState<string>();
  const text = edits.get(id).value ?? '';
  const left = MAX_CHARS - text.trim().length;
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
  }, []);

  const save = async () => {
    const content = text.trim();
    if (content === '' || left < 0 || isSaving) return;
    if (content === message.content) return edits.delete(id);
    setSaving(true);
    try {
      store.applyMessage(await agent.conversations.edit(conversationId, id, { content }));
      edits.delete(id);
    } catch (error) {
      setSaving(false);
      setFailure(t('notSaved', { reason: failureText(error) }));
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') edits.delete(id);
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const fault = left < 0 ? composerText('charsTooMany', { count: -left }) : failure;
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
        value={text}
        onInput={event => edits.set(id, event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {fault && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <div class="buttons">
        <Button look="quiet" onClick={() => edits.delete(id)}>
          {t('cancel')}
        </Button>
        <Button type="submit" isWaiting={isSaving}>
          {t('save')}
        </Button>
      </div>
    </form>
  );
}
