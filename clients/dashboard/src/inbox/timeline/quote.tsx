import type { MessageView } from '@support-chat/sdk';
import { useLocation, useSearch } from 'wouter-preact';
import { useDesk } from '../../desk/desk-context.js';
import { previewOf } from '../../store/message-facts.js';
import { senderName } from '../names.js';
import { t } from '../texts/index.js';
import { timelineText } from './texts/index.js';

/** The message that another one answers, in one line that leads to it. */
export function Quote({ conversationId, id }: { conversationId: string; id: string }) {
  const { store } = useDesk();
  const [path, navigate] = useLocation();
  const search = new URLSearchParams(useSearch());
  const quoted = store.thread(conversationId).messages.value.find(message => message.id === id);
  const name = quoted && senderName(quoted, store.conversation(conversationId).value?.contact);
  const jump = () => {
    search.set('message', id);
    navigate(`${path}?${search}`, { replace: true });
    // a second jump to the same message changes no address
    document.getElementById(`message-${id}`)?.scrollIntoView({ block: 'center' });
  };
  return (
    <button class="quote" type="button" title={timelineText('quoteJump')} onClick={jump}>
      {name !== undefined && <b dir="auto">{name}</b>}
      <span dir="auto">{quoted ? textOf(quoted) : timelineText('quoteEarlier')}</span>
    </button>
  );
}

function textOf(message: MessageView): string {
  return message.deleted_at === null ? previewOf(message).preview : t('unsent');
}
