import type { RefObject, VNode } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Icon } from '@support-chat/ui/icons.jsx';
import type { ChatController } from '../chat.js';
import type { MessageKey } from '../messages.js';
import { Avatar } from './avatar.jsx';
import { Content, Message, Pending } from './bubble.jsx';
import { EmailCard } from './email-card.jsx';
import { buildEntries, firstUnread, type Entry } from './entries.js';
import { PreChatForm } from './pre-chat-form.jsx';
import { Rating } from './rating.jsx';
import { useChat } from './use-chat.js';
import { useScroll } from './use-scroll.js';

const EVENTS: Record<string, MessageKey> = {
  resolved: 'resolved',
  reopened: 'reopened',
  closed_by_contact: 'closedByContact',
};

/** The messages of a conversation. */
export function Timeline({ id }: { id: string | null }): VNode {
  const chat = useChat();
  const { text } = chat.translator;
  const { thread, waitingForForm, outbox } = chat;
  const newSeq = useNewLine(chat);
  const pending = outbox.items.filter(({ conversationId }) => conversationId === id);
  const items = waitingForForm && !id ? [...pending, waitingForForm] : pending;
  const entries = buildEntries(thread?.messages ?? [], items, newSeq);
  const ownId = chat.hasEnded ? 'ended' : items.at(-1)?.id;
  const { scroller, isAtEnd, toEnd } = useScroll(thread?.messages[0]?.seq, ownId, () => chat.markRead());
  const isLoading = !!id && thread?.older === undefined && !chat.loader.failed.has(id);
  return (
    <div class="scroll" ref={scroller as RefObject<HTMLDivElement>} tabIndex={0}>
      <div>
        {id && thread?.older && (
          <button class="quiet" onClick={() => void chat.loader.loadOlder(id)}>
            {text('loadOlder')}
          </button>
        )}
        {isLoading && entries.length === 0 && <div class="skeleton" />}
        <div role="log" aria-label={text('log')} aria-live="off">
          <ol>
            {!id && <Greeting />}
            {entries.map((entry, index) => renderEntry(entry, chat, index === lastOwn(entries)))}
            {id && <Writing id={id} />}
          </ol>
        </div>
        {id && chat.loader.failed.has(id) && (
          <p class="notice" role="alert">
            {text('loadFailed')} <button onClick={() => void chat.loader.load(id, true)}>{text('retry')}</button>
          </p>
        )}
        {waitingForForm && !id && <PreChatForm />}
        {(chat.suggestsEmail || chat.asksForEmail) && <EmailCard />}
        {thread && chat.hasEnded && <Rating thread={thread} />}
      </div>
      {!isAtEnd && (
        <button class="to-end" aria-label={text('newest')} onClick={toEnd}>
          <Icon name="down" />
        </button>
      )}
    </div>
  );
}

/** The line "New" stands where reading had stopped when the conversation was opened. */
function useNewLine({ thread, isOpen }: ChatController): number | undefined {
  const [newSeq, setNewSeq] = useState<number | undefined>();
  const isLoaded = thread?.older !== undefined;
  useLayoutEffect(() => {
    if (thread && isLoaded) setNewSeq(firstUnread(thread.messages, thread.view.unread.contact));
  }, [isLoaded, isOpen]);
  return newSeq;
}

/** The last own message says how far it has come, unless the company has answered since. */
function lastOwn(entries: Entry[]): number {
  const index = entries.length - 1 - [...entries].reverse().findIndex(({ kind }) => kind === 'message');
  const entry = entries[index];
  return entry?.kind === 'message' && entry.message.sender_type === 'contact' ? index : -1;
}

function renderEntry(entry: Entry, { translator, thread, config }: ChatController, showsState: boolean): VNode {
  const { text, day } = translator;
  switch (entry.kind) {
    case 'day':
      return (
        <li class="line" key={entry.key}>
          {day(entry.time)}
        </li>
      );
    case 'new':
      return (
        <li class="line new" key={entry.key}>
          {text('newMessages')}
        </li>
      );
    case 'event':
      return (
        <li class="line" key={entry.key}>
          {text(EVENTS[entry.event] ?? 'resolved')}
        </li>
      );
    case 'pending':
      return <Pending item={entry.item} key={entry.key} />;
    case 'message': {
      const isSeen = config.features.read_receipts && (thread?.seenSeq ?? 0) >= entry.message.seq;
      return (
        <Message {...entry} key={entry.key}>
          {showsState && ` · ${text(isSeen ? 'seen' : 'sent')}`}
        </Message>
      );
    }
  }
}

/** The greeting of the company, as the first message of a conversation that begins. */
function Greeting(): VNode | null {
  const { config } = useChat();
  if (!config.greeting) return null;
  return (
    <li class="their first">
      <Avatar name={config.title} url={config.theme.logo_url} />
      <Content content={config.greeting} attachments={[]} isOwn={false} isDeleted={false} />
    </li>
  );
}

/** Shows the draft of a bot, else the names of people who are typing. */
function Writing({ id }: { id: string }): VNode | null {
  const { state, translator, config } = useChat();
  const { text } = translator;
  const draft = state.draft(id);
  if (draft?.text) {
    return (
      <li class="their first" key={draft.draft_id} aria-busy="true">
        <Avatar name={draft.sender.name} url={draft.sender.avatar_url} isBot />
        <b class="sender">
          {draft.sender.name}
          <i>{text('bot')}</i>
        </b>
        <Content content={draft.text} attachments={[]} isOwn={false} isDeleted={false} />
      </li>
    );
  }
  const typists = config.features.typing ? state.typing(id) : [];
  if (typists.length === 0) return null;
  const names = typists.map(({ name }) => name).filter(name => name !== null);
  return (
    <li class="typing">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {names.length ? text('typing', { name: translator.list(names) }) : text('someoneTyping')}
    </li>
  );
}
