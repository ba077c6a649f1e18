import type { WorkspaceView } from '@support-chat/sdk';
import { useForm } from '../../forms/use-form.js';
import { Field } from '../../parts/field.js';
import { Select } from '../../parts/select.js';
import { toasts } from '../../parts/toasts.js';
import { useSession } from '../../session-context.js';
import { COMMON_CODES } from '../errors.js';
import { SaveBar, Section } from '../screen.js';
import { localeOptions, timezoneOptions } from './locales.js';
import { t, type TextKey } from './texts/index.js';

export interface WorkspacePartProps {
  workspace: WorkspaceView;
  onChange(workspace: WorkspaceView): void;
}

const FIELDS: Record<'name' | 'locale' | 'timezone', TextKey> = {
  name: 'nameInvalid',
  locale: 'localeInvalid',
  timezone: 'timezoneInvalid',
};

export function General({ workspace, onChange }: WorkspacePartProps) {
  const session = useSession();
  const form = useForm<keyof typeof FIELDS, TextKey>({
    initial: { name: workspace.name, locale: workspace.locale, timezone: workspace.timezone },
    texts: { fields: FIELDS, codes: COMMON_CODES },
    translate: t,
    draft: `${workspace.id}:workspace`,
    send: async values => {
      onChange(await session.agent.workspace.update({ ...values, name: values.name.trim() }));
      toasts.show({ kind: 'done', text: t('workspaceSaved') });
      await session.reload();
    },
  });
  return (
    <Section title={t('general')}>
      <form noValidate onSubmit={form.submit}>
        <Field form={form} name="name" label={t('companyName')} hint={t('companyNameHint')} />
        <Select
          label={t('locale')}
          name="locale"
          value={form.values.locale}
          options={localeOptions(workspace.locale)}
          hint={t('localeHint')}
          fault={form.faultOf('locale')}
          onChange={locale => form.change('locale', locale)}
        />
        <Select
          label={t('timezone')}
          name="timezone"
          value={form.values.timezone}
          options={timezoneOptions(workspace.timezone)}
          hint={t('timezoneHint')}
          fault={form.faultOf('timezone')}
          onChange={timezone => form.change('timezone', timezone)}
        />
        <SaveBar form={form} />
      </form>
    </Section>
  );
}
