import { Component, type VNode } from 'preact';
import type { ChatController } from '../chat.js';
import type { ViewProps } from './view-props.js';
import { avatar } from './avatar.jsx';
import { renderContent, renderMessage, renderPending } from './bubble.jsx';
import { asksForEmail, EmailCard } from './email-card.jsx';
import { buildEntries, eventText, type Entry } from './entries.js';
import { PreChatForm } from './pre-chat-form.jsx';
import { Rating } from './rating.jsx';
import { Scroller } from './scroller.jsx';

interface TimelineProps extends ViewProps {
  id: string | null;
}

/** The messages of a conversation. */
export class Timeline extends Component<TimelineProps> {
  private isShown = this.props.id !== null && this.props.id === this.props.chat.followedId;
  private newSeq: number | undefined;

  override render({ chat, id }: TimelineProps): VNode {
    const { text, thread, waitingForForm, outbox, loader, hasEnded } = chat;
    this.updateNewLine();
    const items = outbox.items.filter(({ conversationId }) => conversationId === id);
    const entries = buildEntries(thread?.messages ?? [], items, this.newSeq);
    const last = entries.map(({ kind }) => kind).lastIndexOf('message');
    const hasFailed = id && loader.failed.has(id);
    return (
      <Scroller
        firstSeq={thread?.messages[0]?.seq}
        ownId={hasEnded ? 'ended' : items.at(-1)?.id}
        label={text('newest')}
        onEnd={() => chat.reads.schedule()}
      >
        {thread?.older && (
          <button class="quiet" onClick={() => void loader.loadOlder(thread.view.id)}>
            {text('loadOlder')}
          </button>
        )}
        {id && thread?.older === undefined && !hasFailed && entries.length === 0 && <div class="skeleton" />}
        <div role="log" aria-label={text('log')} aria-live="off">
          <ol>
            {!id && renderGreeting(chat)}
            {entries.map((entry, index) => renderEntry(chat, entry, index === last))}
            {id && renderWriting(chat, id)}
          </ol>
        </div>
        {hasFailed && (
          <p class="notice" role="alert">
            {text('loadFailed')} <button onClick={() => void loader.load(id, true)}>{text('retry')}</button>
          </p>
        )}
        {waitingForForm && <PreChatForm chat={chat} />}
        {asksForEmail(chat) && <EmailCard chat={chat} />}
        {thread && hasEnded && <Rating chat={chat} thread={thread} />}
      </Scroller>
    );
  }

  /** The line "New" stands where reading had stopped when the conversation was opened. */
  private updateNewLine(): void {
    const { thread, isOpen } = this.props.chat;
    const isShown = isOpen && thread?.older !== undefined;
    if (isShown && !this.isShown) {
      const count = thread.view.unread.contact;
      this.newSeq = count ? thread.received.at(-count)?.seq : undefined;
    }
    this.isShown = isShown;
  }
}

/** @param isLast true for the last message: an own one says how far it has come, unless the company has answered since */
function renderEntry(chat: ChatController, entry: Entry, isLast: boolean): VNode {
  const { text, translator, thread, config } = chat;
  const { kind, key } = entry;
  if (kind === 'pending') return renderPending(chat, entry.item);
  if (kind === 'message') {
    const { sender_type, seq } = entry.message;
    const isSeen = config.features.read_receipts && (thread?.seenSeq ?? 0) >= seq;
    return renderMessage(chat, entry, isLast && sender_type === 'contact' && text(isSeen ? 'seen' : 'sent'));
  }
  return (
    <li class={`line ${kind}`} key={key}>
      {kind === 'day' ? translator.day(entry.time) : text(kind === 'new' ? 'newMessages' : eventText(entry.event))}
    </li>
  );
}

/** Draws the greeting of the company, as the first message of a conversation that begins. */
function renderGreeting(chat: ChatController): VNode | null {
  const { greeting, title, theme } = chat.config;
  if (!greeting) return null;
  return (
    <li class="their first">
      {avatar(title, theme.logo_url)}
      {renderContent(chat, { content: greeting })}
    </li>
  );
}

/** Draws the draft of a bot, else the names of people who are typing. */
function renderWriting(chat: ChatController, id: string): VNode | null {
  const { text, state, translator, config } = chat;
  const draft = state.draft(id);
  if (draft?.text) {
    const { name, avatar_url } = draft.sender;
    return (
      <li class="their first" key={draft.draft_id} aria-busy="true">
        {avatar(name, avatar_url, true)}
        <b class="sender">
          {name}
          <i>{text('bot')}</i>
        </b>
        {renderContent(chat, { content: draft.text })}
      </li>
    );
  }
  const typists = config.features.typing ? state.typing(id) : [];
  if (typists.length === 0) return null;
  const names = typists.flatMap(({ name }) => name ?? []);
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
