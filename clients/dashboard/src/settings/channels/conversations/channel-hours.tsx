import { checkHours, HoursForm, hoursOf } from '../../business-hours/hours-form.js';
import { Section } from '../../screen.js';
import type { ChannelPartProps } from '../channel-part.js';
import { t } from '../texts/index.js';
import { useChannelForm } from '../use-channel-form.js';

/** Opening hours of the channel's own, or those of the workspace. */
export function ChannelHours(props: ChannelPartProps) {
  const form = useChannelForm({
    ...props,
    part: 'hours',
    initial: { business_hours: JSON.stringify(props.channel.business_hours) },
    faults: { business_hours: 'unexpected' },
    savedText: 'hoursSaved',
    check: checkHours,
    toBody: values => ({ business_hours: hoursOf(values) }),
  });
  return (
    <Section title={t('hours')} intro={t('hoursHint')}>
      <HoursForm form={form} nullName={t('workspaceHours')} />
    </Section>
  );
}
