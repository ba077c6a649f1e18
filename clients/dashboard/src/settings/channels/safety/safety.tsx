import { FieldFrame } from '../../../parts/field-frame.js';
import { TextArea } from '../../../parts/text-area.js';
import { formats } from '../../../texts/index.js';
import { SaveBar, Section } from '../../screen.js';
import type { ChannelPartProps } from '../channel-part.js';
import { isOrigin, linesOf } from '../lines.js';
import { t } from '../texts/index.js';
import { useChannelForm } from '../use-channel-form.js';
import { IdentityRules } from './identity-rules.js';
import { IdentitySecret } from './identity-secret.js';
import { WidgetToken } from './widget-token.js';

/** Where the chat may be, who may say who they are, and the secrets of both. */
export function Safety(props: ChannelPartProps) {
  return (
    <>
      <Origins {...props} />
      <IdentityRules {...props} />
      <IdentitySecret {...props} />
      <VisitedPages {...props} />
      <WidgetToken {...props} />
    </>
  );
}

function Origins(props: ChannelPartProps) {
  const form = useChannelForm({
    ...props,
    part: 'origins',
    initial: { allowed_origins: props.channel.allowed_origins.join('\n') },
    faults: { allowed_origins: 'originsInvalid' },
    optional: ['allowed_origins'],
    check: values => (faultyLines(values.allowed_origins).length > 0 ? { allowed_origins: 'originsInvalid' } : {}),
    toBody: values => ({ allowed_origins: linesOf(values.allowed_origins).map(line => line.toLowerCase()) }),
  });
  const faulty = faultyLines(form.values.allowed_origins);
  const fault = form.faultOf('allowed_origins');
  return (
    <Section title={t('origins')}>
      <form noValidate onSubmit={form.submit}>
        <FieldFrame
          label={t('originsLabel')}
          hint={t('originsHint')}
          fault={fault && (faulty.length > 0 ? t('originLines', { lines: formats().list(faulty) }) : fault)}
        >
          {attributes => (
            <textarea
              {...attributes}
              name="allowed_origins"
              rows={4}
              dir="ltr"
              spellcheck={false}
              value={form.values.allowed_origins}
              onInput={event => form.change('allowed_origins', event.currentTarget.value)}
            />
          )}
        </FieldFrame>
        <SaveBar form={form} />
      </form>
    </Section>
  );
}

const faultyLines = (text: string) => linesOf(text).filter(line => !isOrigin(line));

function VisitedPages(props: ChannelPartProps) {
  const form = useChannelForm({
    ...props,
    part: 'pages',
    initial: { kept_query_params: props.channel.kept_query_params.join('\n') },
    faults: { kept_query_params: 'keptParamsInvalid' },
    optional: ['kept_query_params'],
    toBody: values => ({ kept_query_params: linesOf(values.kept_query_params) }),
  });
  return (
    <Section title={t('pages')}>
      <form noValidate onSubmit={form.submit}>
        <TextArea form={form} name="kept_query_params" rows={3} label={t('keptParams')} hint={t('keptParamsHint')} />
        <SaveBar form={form} />
      </form>
    </Section>
  );
}
