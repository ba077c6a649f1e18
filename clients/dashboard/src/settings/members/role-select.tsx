import type { Role } from '@support-chat/sdk';
import type { Form } from '../../forms/use-form.js';
import { Select } from '../../parts/select.js';
import { t } from './texts/index.js';

/** @param roles that the caller may grant */
export function RoleSelect<Field extends string>({
  form,
  roles,
}: {
  form: Form<Field | 'role'>;
  roles: readonly Role[];
}) {
  return (
    <Select
      label={t('role')}
      name="role"
      value={form.values.role}
      options={roles.map(role => ({ value: role, name: t(role) }))}
      hint={t('roleHint')}
      fault={form.faultOf('role')}
      onChange={role => form.change('role', role)}
    />
  );
}
