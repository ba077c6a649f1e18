import { Field } from '../../../parts/field.js';
import { TextArea } from '../../../parts/text-area.js';
import { SaveBar, Section } from '../../screen.js';
import type { ChannelPartProps } from '../channel-part.js';
import { linesOf } from '../lines.js';
import { t } from '../texts/index.js';
import { useChannelForm } from '../use-channel-form.js';

const MEGABYTE = 1024 * 1024;
const MIN_MEGABYTES = 0.1;
const MAX_MEGABYTES = 25;
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/(\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/;

/** Size and types of the files that customers can send. */
export function Files(props: ChannelPartProps) {
  const { max_bytes: maxBytes, mime_types: types } = props.channel.attachments;
  const form = useChannelForm({
    ...props,
    part: 'files',
    initial: {
      'attachments.max_bytes': String(Math.round((maxBytes / MEGABYTE) * 100) / 100),
      'attachments.mime_types': types.join('\n'),
    },
    faults: { 'attachments.max_bytes': 'maxMegabytesInvalid', 'attachments.mime_types': 'fileTypesInvalid' },
    check: values => {
      const megabytes = Number(values['attachments.max_bytes']);
      const isSize = megabytes >= MIN_MEGABYTES && megabytes <= MAX_MEGABYTES;
      const areTypes = linesOf(values['attachments.mime_types']).every(line => TYPE.test(line));
      return {
        ...(!isSize && { 'attachments.max_bytes': 'maxMegabytesInvalid' }),
        ...(!areTypes && { 'attachments.mime_types': 'fileTypesInvalid' }),
      };
    },
    toBody: values => ({
      attachments: {
        max_bytes: Math.round(Number(values['attachments.max_bytes']) * MEGABYTE),
        mime_types: linesOf(values['attachments.mime_types']),
      },
    }),
  });
  return (
    <Section title={t('files')}>
      <form noValidate onSubmit={form.submit}>
        <Field
          form={form}
          name="attachments.max_bytes"
          type="number"
          label={t('maxMegabytes')}
          hint={t('maxMegabytesHint')}
        />
        <TextArea form={form} name="attachments.mime_types" label={t('fileTypes')} hint={t('fileTypesHint')} />
        <SaveBar form={form} />
      </form>
    </Section>
  );
}
