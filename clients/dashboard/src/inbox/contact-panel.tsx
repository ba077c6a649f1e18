import type { ContactView, ConversationView } from '@support-chat/sdk';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { conversationPath } from '../conversation-path.js';
import { useDesk } from '../desk/desk-context.js';
import { Avatar } from './avatar.js';
import { ContactMenu } from './contact-menu.js';
import { Duplicates } from './duplicates.js';
import { minute } from './minute.js';
import { contactName } from './names.js';
import { formats, t } from './texts/index.js';

/** Earlier conversations that are listed. */
const SHOWN_CONVERSATIONS = 10;
const MADE_UP = 'anon_';
const STAYING_MS = 200;

/** Shows the person, and its earlier conversations. */
export function ContactPanel({ view }: { view: ConversationView }) {
  const { presence } = useDesk();
  const contact = useContact(view);
  const name = contactName(contact ?? view.contact);
  const isOnline = presence.isContactOnline(view.contact_id);
  return (
    <aside class="contact" aria-label={t('contact')}>
      <header>
        <Avatar id={view.contact_id} name={name} url={view.contact.avatar_url} isOnline={isOnline} />
        <h2 dir="auto">{name}</h2>
        <p class="seen">{isOnline ? t('online') : lastSeen(contact)}</p>
        {view.contact.verified && <p class="verified">{t('verified')}</p>}
        {contact?.blocked && <p class="blocked">{t('isBlocked')}</p>}
      </header>
      <dl class="details">
        <Detail name={t('email')}>{contact?.email && <a href={`mailto:${contact.email}`}>{contact.email}</a>}</Detail>
        <Detail name={t('phone')}>{contact?.phone && <a href={`tel:${contact.phone}`}>{contact.phone}</a>}</Detail>
        <Detail name={t('externalId')}>{ownId(contact)}</Detail>
        <Detail name={t('localTime')}>{localTime(contact?.timezone ?? view.context?.timezone)}</Detail>
        <Detail name={t('language')}>{languageName(contact?.locale ?? view.context?.locale)}</Detail>
        <Detail name={t('device')}>{deviceOf(view)}</Detail>
        <Page view={view} visited={presence.pageOf(view.id).value} />
      </dl>
      <Facts title={t('attributes')} facts={contact?.custom_attributes} />
      <Facts title={t('preChat')} facts={view.pre_chat ?? undefined} />
      <Facts title={t('conversationAttributes')} facts={view.custom_attributes} />
      {contact && <Duplicates contact={contact} />}
      <Earlier view={view} />
      {contact && <ContactMenu contact={contact} />}
    </aside>
  );
}

/** Reads the whole contact, which lists do not have. */
function useContact({ contact_id: id }: ConversationView): ContactView | undefined {
  const { store, reader } = useDesk();
  useWhenStaying(() => void reader.readContact(id).catch(() => undefined), [id, reader]);
  return store.contact(id).value;
}

function Detail({ name, children }: { name: string; children: ComponentChildren }) {
  if (!children) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}

function Page({
  view,
  visited,
}: {
  view: ConversationView;
  visited: { url: string; title: string | null } | undefined;
}) {
  const page = visited ?? view.context?.page;
  if (!page) return null;
  return (
    <Detail name={visited ? t('isOnPage') : t('startedOnPage')}>
      <a href={page.url} target="_blank" rel="noopener noreferrer">
        {page.title ?? page.url}
      </a>
    </Detail>
  );
}

function Facts({ title, facts = {} }: { title: string; facts: Record<string, unknown> | undefined }) {
  const all = Object.entries(facts).filter(([, value]) => value !== null && value !== '');
  if (all.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <dl class="details">
        {all.map(([key, value]) => (
          <Detail key={key} name={key}>
            {typeof value === 'string' ? value : JSON.stringify(value)}
          </Detail>
        ))}
      </dl>
    </section>
  );
}

function Earlier({ view }: { view: ConversationView }) {
  const { agent } = useDesk();
  const [earlier, setEarlier] = useState<readonly ConversationView[]>([]);
  useEffect(() => setEarlier([]), [view.id]);
  useWhenStaying(() => {
    agent.conversations.list({ contact_id: view.contact_id, limit: SHOWN_CONVERSATIONS }).then(
      ({ items }) => setEarlier(items.filter(({ id }) => id !== view.id)),
      () => undefined,
    );
  }, [agent, view.contact_id, view.id]);
  if (earlier.length === 0) return null;
  return (
    <section>
      <h3>{t('earlier')}</h3>
      <ul class="earlier">
        {earlier.map(({ id, number, last_message: last, last_activity_at: at, status }) => (
          <li key={id}>
            <Link href={conversationPath(id)}>
              <span dir="auto">{last?.preview ?? t('noMessage')}</span>
              <small>
                #{number} · {t(`status_${status}`)} · {formats().ago(at, minute.value)}
              </small>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Runs once a conversation stays open: going through the list by a key asks for nothing of the contacts on the way. */
function useWhenStaying(read: () => void, dependencies: readonly unknown[]): void {
  useEffect(() => {
    const timer = setTimeout(read, STAYING_MS);
    return () => clearTimeout(timer);
  }, dependencies);
}

/** An id that the widget has made up says nothing. */
function ownId(contact: ContactView | undefined): string | undefined {
  const id = contact?.external_id ?? undefined;
  return id?.startsWith(MADE_UP) ? undefined : id;
}

function lastSeen(contact: ContactView | undefined): string {
  return contact?.last_seen_at ? t('lastSeen', { time: formats().ago(contact.last_seen_at, minute.value) }) : '';
}

/** The time where the contact is: nobody should be called at night. */
function localTime(timezone: string | null | undefined): string | undefined {
  if (!timezone) return undefined;
  try {
    const clock = new Intl.DateTimeFormat(formats().locale, { hour: 'numeric', minute: '2-digit', timeZone: timezone });
    return `${clock.format(minute.value)} (${timezone.replaceAll('_', ' ')})`;
  } catch {
    return timezone;
  }
}

function languageName(locale: string | null | undefined): string | undefined {
  if (!locale) return undefined;
  try {
    return new Intl.DisplayNames(formats().locale, { type: 'language' }).of(locale);
  } catch {
    return locale;
  }
}

function deviceOf({ context }: ConversationView): string | undefined {
  const parts = [context?.browser, context?.os, context?.device].filter(part => part !== null && part !== undefined);
  return parts.length > 0 ? parts.join(' · ') : undefined;
}
