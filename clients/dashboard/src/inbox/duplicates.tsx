import type { ContactMergeView, ContactView } from '@support-chat/sdk';
import { useState } from 'preact/hooks';
import { Confirmation } from '../parts/confirmation.js';
import { useDesk } from '../desk/desk-context.js';
import { failureText } from './failure-text.js';
import { contactName } from './names.js';
import { formats, t } from './texts/index.js';

interface Merge {
  fromId: string;
  name: string;
  preview: ContactMergeView;
}

/** Others who may be the same person, and their merge, whose effect is shown before. */
export function Duplicates({ contact }: { contact: ContactView }) {
  const { agent, store, toasts, session } = useDesk();
  const [merge, setMerge] = useState<Merge>();
  const duplicates = contact.duplicates ?? [];
  if (duplicates.length === 0 || session.me.scope.type !== 'all') return null;
  const notify = (error: unknown) =>
    toasts.show({ kind: 'failed', text: t('notMerged', { reason: failureText(error) }) });
  const ask = async (fromId: string, name: string) => {
    try {
      setMerge({ fromId, name, preview: await agent.contacts.merge(contact.id, { from_id: fromId, dry_run: true }) });
    } catch (error) {
      notify(error);
    }
  };
  const run = async ({ fromId, name }: Merge) => {
    const mark = store.mark();
    const merged = await agent.contacts.merge(contact.id, { from_id: fromId });
    store.applyContact({ ...merged.contact, duplicates: duplicates.filter(({ id }) => id !== fromId) }, mark);
    toasts.show({ kind: 'done', text: t('doneMerged', { name }) });
  };
  return (
    <section>
      <h3>{t('duplicates')}</h3>
      <ul class="duplicates">
        {duplicates.map(({ id, name, verified }) => (
          <li key={id}>
            <span dir="auto">{name ?? t('visitor')}</span>
            {verified && <small>{t('verified')}</small>}
            <button class="link" type="button" onClick={() => void ask(id, name ?? t('visitor'))}>
              {t('mergeOpen')}
            </button>
          </li>
        ))}
      </ul>
      {merge && (
        <Confirmation
          title={t('mergeTitle', { name: merge.name, into: contactName(contact) })}
          action={t('merge')}
          describe={failureText}
          onConfirm={() => run(merge)}
          onClose={() => setMerge(undefined)}
        >
          <p>{mergeText(merge.preview)}</p>
        </Confirmation>
      )}
    </section>
  );
}

function mergeText({ conversations, taken_over, resolved_conversation_ids }: ContactMergeView): string {
  const parts = [t('mergeConversations', { count: conversations })];
  if (taken_over.length > 0) parts.push(t('mergeFields', { fields: formats().list(taken_over) }));
  if (resolved_conversation_ids.length > 0) parts.push(t('mergeResolves', { count: resolved_conversation_ids.length }));
  return [...parts, t('notTakenBack')].join(' ');
}
