import { useForm } from '../../forms/use-form.js';
import { toasts } from '../../parts/toasts.js';
import { useSession } from '../../session-context.js';
import { checkHours, HoursForm, hoursOf, type HoursField } from '../business-hours/hours-form.js';
import { COMMON_CODES } from '../errors.js';
import { Section } from '../screen.js';
import type { WorkspacePartProps } from './general.js';
import { t, type TextKey } from './texts/index.js';

/** The hours of the workspace, with a form of their own. */
export function OpeningHours({ workspace, onChange }: WorkspacePartProps) {
  const { agent } = useSession();
  const form = useForm<HoursField, TextKey>({
    initial: { business_hours: JSON.stringify(workspace.business_hours) },
    texts: { fields: { business_hours: 'unexpected' }, codes: COMMON_CODES },
    translate: t,
    draft: `${workspace.id}:hours`,
    check: checkHours,
    send: async values => {
      onChange(await agent.workspace.update({ business_hours: hoursOf(values) }));
      toasts.show({ kind: 'done', text: t('hoursSaved') });
    },
  });
  return (
    <Section title={t('hours')} intro={t('hoursHint')}>
      <HoursForm form={form} />
    </Section>
  );
}
