import { useState } from 'preact/hooks';
import type { CreatedApiKeyView } from '@support-chat/sdk';
import { useForm } from '../../forms/use-form.js';
import { Banner } from '../../parts/banner.js';
import { FormButtons } from '../../parts/form-buttons.js';
import { Checks } from '../../parts/checks.js';
import { Choice } from '../../parts/choice.js';
import { Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Select } from '../../parts/select.js';
import { useSession } from '../../session-context.js';
import { COMMON_CODES } from '../errors.js';
import { SCOPES, WHOLE_SCOPES, type Scope } from './scopes.js';
import { t, type TextKey } from './texts/index.js';

const DAY_MS = 86_400_000;
const LIFETIMES = ['never', '30', '90', '365'];

export interface CreateKeyDialogProps {
  onCreate(key: CreatedApiKeyView): void;
  onClose(): void;
}

export function CreateKeyDialog({ onCreate, onClose }: CreateKeyDialogProps) {
  const { agent } = useSession();
  const [scopes, setScopes] = useState<Scope[] | null>(null);
  const [fault, setFault] = useState<string>();
  const form = useForm<'name' | 'expires_at', TextKey>({
    initial: { name: '', expires_at: 'never' },
    texts: {
      fields: { name: 'nameInvalid', expires_at: 'expiryInvalid' },
      codes: { ...COMMON_CODES, expires_at_in_past: { field: 'expires_at', key: 'expiryInvalid' } },
    },
    translate: t,
    send: async ({ name, expires_at: days }) => {
      setFault(undefined);
      if (scopes?.length === 0) return setFault(t('scopesMissing'));
      const expiry = days === 'never' ? {} : { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() };
      onCreate(await agent.apiKeys.create({ name: name.trim(), ...(scopes && { scopes }), ...expiry }));
    },
  });
  const failure = form.failure ?? fault;
  return (
    <Dialog title={t('create')} onClose={onClose} isSticky>
      {failure && <Banner kind="danger">{failure}</Banner>}
      <form noValidate onSubmit={form.submit}>
        <Field form={form} name="name" label={t('keyName')} hint={t('keyNameHint')} autofocus />
        <Select
          label={t('expiry')}
          name="expires_at"
          value={form.values.expires_at}
          options={LIFETIMES.map(value => ({
            value,
            name: value === 'never' ? t('never') : t('inDays', { count: Number(value) }),
          }))}
          fault={form.faultOf('expires_at')}
          onChange={value => form.change('expires_at', value)}
        />
        <Permissions scopes={scopes} onChange={setScopes} />
        <FormButtons action={t('create')} isWaiting={form.isSending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

/** Null is everything. */
function Permissions({ scopes, onChange }: { scopes: Scope[] | null; onChange: (scopes: Scope[] | null) => void }) {
  const options = SCOPES.map(value => ({
    value,
    name: value,
    ...(WHOLE_SCOPES.has(value) && { hint: t('countsAsAll') }),
  }));
  return (
    <div class="field">
      <Choice
        label={t('permissions')}
        name="permissions"
        value={scopes ? 'selected' : 'everything'}
        options={(['everything', 'selected'] as const).map(value => ({ value, name: t(value) }))}
        onChange={value => onChange(value === 'everything' ? null : [])}
      />
      {scopes ? (
        <Checks
          label={t('scopeList')}
          options={options}
          chosen={scopes}
          onChange={chosen => onChange(chosen as Scope[])}
        />
      ) : (
        <p class="hint">{t('everythingHint')}</p>
      )}
    </div>
  );
}
