import { useForm } from '../../forms/use-form.js';
import { Banner } from '../../parts/banner.js';
import { FormButtons } from '../../parts/form-buttons.js';
import { Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { toasts } from '../../parts/toasts.js';
import { COMMON_CODES } from '../errors.js';
import { t, type TextKey } from './texts/index.js';

export interface RenameDialogProps {
  name: string;
  hint?: string;
  /** Text of a refused name. */
  fault: TextKey;
  /** Name of the field in the API. */
  field: 'name' | 'to';
  onRename(name: string): Promise<void>;
  onClose(): void;
}

export function RenameDialog({ name, hint, fault, field, onRename, onClose }: RenameDialogProps) {
  const form = useForm<string, TextKey>({
    initial: { [field]: name },
    texts: {
      fields: { [field]: fault },
      codes: { ...COMMON_CODES, view_name_taken: { field, key: 'viewNameTaken' } },
    },
    translate: t,
    send: async values => {
      const to = (values[field] ?? '').trim();
      if (to !== name) await onRename(to);
      onClose();
      if (to !== name) toasts.show({ kind: 'done', text: t('renamed', { from: name, to }) });
    },
  });
  return (
    <Dialog title={t('renameTitle', { name })} onClose={onClose} isSticky>
      {form.failure && <Banner kind="danger">{form.failure}</Banner>}
      <form noValidate onSubmit={form.submit}>
        <Field form={form} name={field} label={t('newName')} hint={hint} autofocus />
        <FormButtons action={t('rename')} isWaiting={form.isSending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
