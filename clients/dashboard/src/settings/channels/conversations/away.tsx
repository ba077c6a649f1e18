import { TextArea } from '../../../parts/text-area.js';
import { SaveBar, Section } from '../../screen.js';
import type { ChannelPartProps } from '../channel-part.js';
import { t } from '../texts/index.js';
import { useChannelForm } from '../use-channel-form.js';

/** The answer of the system while no agent is there. */
export function Away(props: ChannelPartProps) {
  const form = useChannelForm({
    ...props,
    part: 'away',
    initial: { 'widget_config.away_message': props.channel.widget_config.away_message },
    faults: { 'widget_config.away_message': 'greetingInvalid' },
    optional: ['widget_config.away_message'],
    toBody: values => ({ widget_config: { away_message: values['widget_config.away_message'].trim() } }),
  });
  return (
    <Section title={t('away')}>
      <form noValidate onSubmit={form.submit}>
        <TextArea
          form={form}
          name="widget_config.away_message"
          rows={3}
          label={t('awayMessage')}
          hint={t('awayMessageHint')}
        />
        <SaveBar form={form} />
      </form>
    </Section>
  );
}
