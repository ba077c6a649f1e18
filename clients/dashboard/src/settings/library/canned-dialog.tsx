import type { CannedResponseView } from '@support-chat/sdk';
import { useForm } from '../../forms/use-form.js';
import { Banner } from '../../parts/banner.js';
import { FormButtons } from '../../parts/form-buttons.js';
import { Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { TextArea } from '../../parts/text-area.js';
import { toasts } from '../../parts/toasts.js';
import { useSession } from '../../session-context.js';
import { COMMON_CODES } from '../errors.js';
import { t, type TextKey } from './texts/index.js';

const VARIABLES = {
  contact: '{{contact.name}}',
  agent: '{{agent.name}}',
  number: '{{conversation.number}}',
  channel: '{{channel.name}}',
  fallback: '{{contact.name|there}}',
};

export interface CannedDialogProps {
  /** Undefined for a new one. */
  response: CannedResponseView | undefined;
  onSave(): void;
  onClose(): void;
}

/** Creates or changes a canned response. Unsaved text is kept while the page is open. */
export function CannedDialog({ response, onSave, onClose }: CannedDialogProps) {
  const { agent, me } = useSession();
  const form = useForm<'short_code' | 'title' | 'content' | 'tags', TextKey>({
    initial: {
      short_code: response?.short_code ?? '',
      title: response?.title ?? '',
      content: response?.content ?? '',
      tags: response?.tags.join('\n') ?? '',
    },
    optional: ['tags'],
    texts: {
      fields: {
        short_code: 'shortCodeInvalid',
        title: 'titleInvalid',
        content: 'contentInvalid',
        tags: 'cannedTagsInvalid',
      },
      codes: { ...COMMON_CODES, short_code_taken: { field: 'short_code', key: 'shortCodeTaken' } },
    },
    translate: t,
    draft: `${me.member.id}:canned:${response?.id ?? 'new'}`,
    send: async values => {
      const body = {
        short_code: values.short_code.trim().replace(/^\//, ''),
        title: values.title.trim(),
        content: values.content,
        tags: linesOf(values.tags),
      };
      const saved = response
        ? await agent.cannedResponses.update(response.id, body)
        : await agent.cannedResponses.create(body);
      onSave();
      onClose();
      toasts.show({ kind: 'done', text: t('cannedSaved', { code: `/${saved.short_code}` }) });
    },
  });
  return (
    <Dialog
      title={response ? t('editCanned', { code: `/${response.short_code}` }) : t('newCanned')}
      onClose={onClose}
      isSticky
    >
      {form.failure && <Banner kind="danger">{form.failure}</Banner>}
      <form noValidate onSubmit={form.submit}>
        <Field form={form} name="short_code" label={t('shortCode')} hint={t('shortCodeHint')} autofocus />
        <Field form={form} name="title" label={t('title')} />
        <TextArea form={form} name="content" label={t('content')} rows={6} hint={t('contentHint', VARIABLES)} />
        <TextArea form={form} name="tags" label={t('tags')} rows={2} hint={t('cannedTagsHint')} />
        <FormButtons action={t('save')} isWaiting={form.isSending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

/** The lines of a text without empty and repeated ones. A tag may contain a comma, but no line break. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').map(line => line.trim());
  return [...new Set(lines)].filter(line => line !== '');
}
