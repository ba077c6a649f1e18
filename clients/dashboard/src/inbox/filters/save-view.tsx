import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { useDesk } from '../../desk/desk-context.js';
import { useForm } from '../../forms/use-form.js';
import { Banner } from '../../parts/banner.js';
import { FormButtons } from '../../parts/form-buttons.js';
import { Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { useSession } from '../../session-context.js';
import { accessOf } from '../../settings/access.js';
import type { TextKey } from '../../texts/index.js';
import { toFilter, type FilterValues } from './filter-values.js';
import { t, type FilterText } from './texts/index.js';

/** Saves the filters as a view, of the member or of all, and opens it. */
export function SaveView({ values, onClose }: { values: FilterValues; onClose(): void }) {
  const { agent, directory, toasts } = useDesk();
  const { isAdmin } = accessOf(useSession().me);
  const [, navigate] = useLocation();
  const [isShared, setShared] = useState(false);
  const form = useForm<'name', FilterText>({
    initial: { name: '' },
    texts: {
      fields: { name: 'viewNameInvalid' },
      codes: { view_name_taken: { field: 'name', key: 'viewNameTaken' } },
    },
    translate: t as (key: FilterText | TextKey) => string,
    send: async ({ name }) => {
      const filters = toFilter(values) as Record<string, unknown>;
      const view = await agent.views.create({ name: name.trim(), filters, ...(isShared && { shared: true }) });
      // the view has no address until it is known
      await directory.loadViews();
      onClose();
      navigate(`/inbox/${view.id}`);
      toasts.show({ kind: 'done', text: t('viewSaved', { name: view.name }) });
    },
  });
  return (
    <Dialog title={t('saveView')} onClose={onClose} isSticky>
      {form.failure && <Banner kind="danger">{form.failure}</Banner>}
      <form noValidate onSubmit={form.submit}>
        <Field form={form} name="name" label={t('viewName')} autofocus />
        {isAdmin && (
          <label class="check">
            <input type="checkbox" checked={isShared} onChange={event => setShared(event.currentTarget.checked)} />
            {t('share')}
          </label>
        )}
        <FormButtons action={t('save')} isWaiting={form.isSending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
