import type { ConversationView } from '@support-chat/sdk';
import type { ComponentChildren } from 'preact';
import { Avatar } from './avatar.js';
import { minute } from './minute.js';
import { contactName } from './names.js';
import { formats, t } from './texts/index.js';
import { optionId, type ListPosition } from './virtual-list.js';

const SHOWN_TAGS = 2;
const MINUTE_MS = 60_000;
/** A contact that waits longer is shown in amber, and in red. */
const LONG_WAIT_MINUTES = 5;
const TOO_LONG_WAIT_MINUTES = 15;

export interface RowProps {
  view: ConversationView;
  at: ListPosition;
  channelName: string | undefined;
  /** Names of other members who look at it. */
  viewers: readonly string[];
  isContactOnline: boolean;
  hasDraft: boolean;
  /** The keyboard acts on it. */
  isActive: boolean;
  /** Chosen for an action on several. */
  isSelected: boolean;
  onOpen(event: MouseEvent): void;
  onHover(): void;
}

/** A conversation in the list. */
export function Row(props: RowProps) {
  const { view, at, isActive, isSelected, isContactOnline, onOpen, onHover } = props;
  const name = contactName(view.contact);
  const isUnread = view.unread.agents > 0;
  const classes = ['row', isActive && 'active', isSelected && 'selected', isUnread && 'unread'].filter(Boolean);
  return (
    <div
      id={optionId(view.id)}
      class={classes.join(' ')}
      role="option"
      aria-selected={isSelected}
      aria-current={isActive ? 'true' : undefined}
      aria-setsize={at.size}
      aria-posinset={at.position}
      onClick={onOpen}
      onPointerEnter={onHover}
    >
      <Avatar id={view.contact_id} name={name} url={view.contact.avatar_url} isOnline={isContactOnline} />
      <span class="name" dir="auto">
        {name}
      </span>
      <time class="when" dateTime={view.last_activity_at} title={new Date(view.last_activity_at).toLocaleString()}>
        {formats().ago(view.last_activity_at, minute.value)}
      </time>
      <Preview {...props} />
      {isUnread && (
        <span class="count">
          <span aria-hidden="true">{view.unread.agents > 99 ? '99+' : view.unread.agents}</span>
          <span class="unseen">{t('unreadCount', { count: view.unread.agents })}</span>
        </span>
      )}
      <Facts {...props} />
    </div>
  );
}

function Preview({ view, hasDraft }: RowProps) {
  const { last_message: last, subject } = view;
  if (hasDraft) return <span class="preview draft">{t('draft')}</span>;
  const text = last?.preview ?? subject ?? t('noMessage');
  return (
    <span class="preview" dir="auto">
      {last && last.sender_type !== 'contact'
        ? t(last.sender_type === 'bot' ? 'botWrote' : 'teamWrote', { text })
        : text}
    </span>
  );
}

function Facts({ view, channelName, viewers }: RowProps) {
  const { tags, priority, status } = view;
  const more = tags.length - SHOWN_TAGS;
  const facts: ComponentChildren[] = [];
  if (status !== 'open') facts.push(<span class={`fact status ${status}`}>{t(`status_${status}`)}</span>);
  if (priority !== 'none') facts.push(<span class={`fact priority ${priority}`}>{t(`priority_${priority}`)}</span>);
  facts.push(<Waiting view={view} />);
  for (const tag of tags.slice(0, SHOWN_TAGS)) facts.push(<span class="fact tag">{tag}</span>);
  if (more > 0) facts.push(<span class="fact">{t('moreTags', { count: more })}</span>);
  if (channelName) facts.push(<span class="fact channel">{channelName}</span>);
  if (viewers.length > 0)
    facts.push(<span class="fact viewers">{t('viewedBy', { names: formats().list([...viewers]) })}</span>);
  return <span class="facts">{facts}</span>;
}

function Waiting({ view: { waiting_since: since, status } }: Pick<RowProps, 'view'>) {
  if (since === null || status === 'resolved') return null;
  const minutes = Math.max(0, (minute.value - Date.parse(since)) / MINUTE_MS);
  if (minutes < 1) return null;
  const tone = minutes >= TOO_LONG_WAIT_MINUTES ? ' late' : minutes >= LONG_WAIT_MINUTES ? ' slow' : '';
  return <span class={`fact waiting${tone}`}>{t('waitsFor', { time: formats().duration(minutes * 60) })}</span>;
}
