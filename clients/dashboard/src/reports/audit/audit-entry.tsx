import type { AuditEntryView } from '@support-chat/sdk';
import { useSession } from '../../session-context.js';
import { actionText } from './actions.js';
import { formats, t } from './texts/index.js';

/** One action as a sentence, with everything that is known of it behind a click. */
export function AuditEntry({ entry }: { entry: AuditEntryView }) {
  const { timezone } = useSession().me.workspace;
  const at = new Intl.DateTimeFormat(formats().locale, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    timeZone: timezone,
  });
  const name = nameIn(entry.details);
  const facts = [
    [t('actionCode'), entry.action],
    [t('target'), entry.subject.id],
    [t('address'), entry.address],
    [t('browser'), entry.user_agent],
    [t('request'), entry.request_id],
  ] as const;
  return (
    <li>
      <details>
        <summary>
          <span class="sentence">
            <strong dir="auto">{actorName(entry)}</strong> {actionText(entry.action)}
            {name && (
              <>
                {': '}
                <span class="object" dir="auto">
                  {name}
                </span>
              </>
            )}
          </span>
          <time dateTime={entry.created_at}>{at.format(new Date(entry.created_at))}</time>
        </summary>
        <dl>
          {facts.map(
            ([title, value]) =>
              value !== null && (
                <div key={title}>
                  <dt>{title}</dt>
                  <dd dir="ltr">{value}</dd>
                </div>
              ),
          )}
        </dl>
        <pre tabIndex={0} aria-label={t('details')} role="region" dir="ltr">
          {JSON.stringify(entry.details, null, 2)}
        </pre>
      </details>
    </li>
  );
}

function actorName({ actor: { type, name } }: AuditEntryView): string {
  if (name !== null) return name;
  if (type === 'system') return t('system');
  return t(type === 'api_key' ? 'someKey' : 'someMember');
}

/** @returns the name of what was changed, if the details have one */
function nameIn(details: object): string | undefined {
  const { name, email, label, report, member } = details as Record<string, unknown>;
  const found = [name, label, email, report].find(value => typeof value === 'string' && value !== '');
  if (found !== undefined) return found as string;
  return typeof member === 'object' && member !== null ? nameIn(member) : undefined;
}
