import type { ConversationView, MessageView } from '@support-chat/sdk';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { Skeleton } from '../../parts/skeleton.js';
import { useDesk } from '../../desk/desk-context.js';
import { MOVED } from '../../desk/outbox.js';
import { ApiError } from '@support-chat/sdk';
import type { PendingMessage } from '../../store/pending-messages.js';
import { Avatar } from '../avatar.js';
import { failureText } from '../failure-text.js';
import { contactName, senderName } from '../names.js';
import { formats, t } from '../texts/index.js';
import { BlockView } from './block-view.js';
import { buildBlocks, type Block } from './blocks.js';
import { edits } from './edits.js';
import { buildEntries, type Entry } from './entries.js';
import { eventText } from './event-text.js';
import { Attachment } from './attachment.js';
import { Message, MessageText } from './message.js';
import { Quote } from './quote.js';
import { Scroller } from './scroller.js';
import { timelineText } from './texts/index.js';

interface TimelineProps {
  view: ConversationView;
  /** A message of a link. */
  linkedId: string | undefined;
  /** Called when the newest message is on the screen. */
  onEnd(): void;
}

/** The messages of a conversation, as they come. */
export function Timeline({ view, linkedId, onEnd }: TimelineProps) {
  const { store, reader, memberId, presence } = useDesk();
  const { id } = view;
  const thread = store.thread(id);
  const messages = thread.messages.value;
  const pending = store.pending.of(id).value ?? [];
  const newSeq = useNewSeq(view, messages);
  const blocks = useMemo(() => buildBlocks(buildEntries(messages, newSeq)), [messages, newSeq]);
  const seenId = lastSeenId(messages, view.contact_last_read_seq);
  useLinked(linkedId, messages, () => reader.readOlder(id, true));

  if (!thread.isRead.value) return <Skeleton />;
  const own =
    pending.at(-1)?.body.client_message_id ?? messages.findLast(({ sender_id }) => sender_id === memberId)?.id;
  return (
    <Scroller
      lastSeq={messages.at(-1)?.seq ?? 0}
      ownKey={own}
      isElsewhere={linkedId !== undefined}
      label={afterSeq => {
        const count = countNew(messages, afterSeq, memberId);
        return count > 0 ? timelineText('newMessages', { count }) : t('newest');
      }}
      onNearStart={() => reader.readOlder(id)}
      onEnd={onEnd}
    >
      {thread.hasOlder.value && (
        <div class="older">
          <Button look="quiet" onClick={() => reader.readOlder(id)}>
            {t('loadOlder')}
          </Button>
        </div>
      )}
      <div role="log" aria-label={t('messages')} aria-live="off">
        {blocks.map(block => (
          <BlockView
            key={block.key}
            block={block}
            isPinned={isPinned(block, linkedId)}
            facts={`${linkedId} ${seenId} ${contactName(view.contact)}`}
            render={({ entries }) =>
              entries.map(entry => (
                <Line key={entry.key} entry={entry} view={view} linkedId={linkedId} seenId={seenId} />
              ))
            }
          />
        ))}
        <ol>
          {pending.map(message => (
            <Pending key={message.body.client_message_id} message={message} />
          ))}
          {presence.draftsIn(id).map(({ draft_id, sender, text }) => (
            <li key={draft_id} class="message ours first last draft">
              <div class="sender">
                <Avatar id={sender.id} name={sender.name} url={sender.avatar_url} />
                <b dir="auto">{sender.name}</b>
                <span class="mark">{t('bot')}</span>
              </div>
              <MessageText text={text} isMarkdown />
            </li>
          ))}
        </ol>
      </div>
      <Announcements messages={messages} view={view} />
    </Scroller>
  );
}

interface LineProps {
  entry: Entry;
  view: ConversationView;
  linkedId: string | undefined;
  seenId: string | undefined;
}

function Line({ entry, view, linkedId, seenId }: LineProps) {
  const { memberId, directory } = useDesk();
  switch (entry.kind) {
    case 'day':
      return (
        <li class="day">
          <time dateTime={entry.at}>{formats().day(entry.at)}</time>
        </li>
      );
    case 'new':
      return <li class="new-line">{t('newLine')}</li>;
    case 'event': {
      const text = eventText(entry.message, memberId, memberOrBot => directory.nameOf(memberOrBot));
      return (
        <li class="event" id={`message-${entry.message.id}`}>
          <span>{text}</span>{' '}
          <time dateTime={entry.message.created_at}>{formats().clock(entry.message.created_at)}</time>
        </li>
      );
    }
    case 'message': {
      const { message } = entry;
      return (
        <Message
          message={message}
          isFirst={entry.isFirst}
          isLast={entry.isLast}
          isLinked={message.id === linkedId}
          isSeen={message.id === seenId}
          senderName={senderName(message, view.contact)}
        />
      );
    }
  }
}

/** A message on its way, or one that was refused. */
function Pending({ message }: { message: PendingMessage }) {
  const { outbox, connection } = useDesk();
  const { body, attachments, error } = message;
  const isMoved = error instanceof ApiError && error.code === MOVED;
  return (
    <li class={`message ${body.private ? 'note' : 'ours'} first last pending`}>
      {body.reply_to_id !== undefined && <Quote conversationId={message.conversationId} id={body.reply_to_id} />}
      {attachments.map(file => (
        <Attachment key={file.id} file={file} />
      ))}
      {body.content && <MessageText text={body.content} isMarkdown />}
      {error === undefined ? (
        <p class="facts">{t(connection.value === 'connected' ? 'sending' : 'waitsForConnection')}</p>
      ) : (
        <p class="facts failed" role="alert">
          {isMoved ? t('answeredMeanwhile') : t('notSent', { reason: failureText(error) })}{' '}
          <button class="link" type="button" onClick={() => outbox.retry(message)}>
            {t(isMoved ? 'sendAnyway' : 'retry')}
          </button>{' '}
          <button class="link" type="button" onClick={() => outbox.discard(message)}>
            {t('discard')}
          </button>
        </p>
      )}
    </li>
  );
}

/** Tells screen readers each message that arrives while the conversation is open, and nothing of its history. */
function Announcements({ messages, view }: { messages: readonly MessageView[]; view: ConversationView }) {
  const { memberId } = useDesk();
  const announced = useRef<number | undefined>(undefined);
  const [texts, setTexts] = useState<readonly { seq: number; text: string }[]>([]);
  useEffect(() => {
    const last = messages.at(-1)?.seq ?? 0;
    const before = (announced.current ??= last);
    if (last <= before) return;
    announced.current = last;
    const arrived = messages.filter(({ seq, sender_id, content }) => seq > before && sender_id !== memberId && content);
    setTexts(known => [
      ...known.slice(-5),
      ...arrived.map(message => ({
        seq: message.seq,
        text: `${senderName(message, view.contact)}: ${message.content}`,
      })),
    ]);
  }, [messages, memberId, view]);
  return (
    <div class="unseen" aria-live="polite">
      {texts.map(({ seq, text }) => (
        <p key={seq}>{text}</p>
      ))}
    </div>
  );
}

/** The linked message is there to be scrolled to, and a text that is being edited keeps its caret. */
function isPinned({ entries }: Block, linkedId: string | undefined): boolean {
  const { value } = edits.ids;
  if (linkedId === undefined && value.size === 0) return false;
  return entries.some(entry => {
    return entry.kind === 'message' && (entry.message.id === linkedId || value.has(entry.message.id));
  });
}

function countNew(messages: readonly MessageView[], afterSeq: number, memberId: string): number {
  let count = 0;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (!message || message.seq <= afterSeq) break;
    if (message.content_type !== 'event' && message.sender_id !== memberId) count += 1;
  }
  return count;
}

/** The line "New" stands where reading had stopped when the conversation was opened. */
function useNewSeq({ id, unread, agent_last_read_seq }: ConversationView, messages: readonly MessageView[]) {
  const opened = useRef<{ id: string; readSeq: number | undefined } | undefined>(undefined);
  if (opened.current?.id !== id) {
    opened.current = { id, readSeq: unread.agents > 0 ? agent_last_read_seq : undefined };
  }
  const { readSeq } = opened.current;
  if (readSeq === undefined) return undefined;
  return messages.find(({ seq, sender_type }) => seq > readSeq && sender_type === 'contact')?.seq;
}

function lastSeenId(messages: readonly MessageView[], readSeq: number): string | undefined {
  const last = messages.findLast(
    ({ sender_type, private: isPrivate, content_type, deleted_at }) =>
      sender_type !== 'contact' && !isPrivate && content_type !== 'event' && deleted_at === null,
  );
  return last && last.seq <= readSeq ? last.id : undefined;
}

/** Brings the message of a link into view, and reads older messages until it is there. */
function useLinked(linkedId: string | undefined, messages: readonly MessageView[], readOlder: () => void): void {
  const shown = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (linkedId === undefined || shown.current === linkedId || messages.length === 0) return;
    const element = document.getElementById(`message-${linkedId}`);
    if (!element) return readOlder();
    shown.current = linkedId;
    element.scrollIntoView({ block: 'center' });
  }, [linkedId, messages, readOlder]);
}
