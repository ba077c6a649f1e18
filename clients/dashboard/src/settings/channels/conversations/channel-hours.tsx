import type { BusinessHours } from '@support-chat/sdk';
import { faultOf } from '../../business-hours/hours.js';
import { HoursEditor } from '../../business-hours/hours-editor.js';
import { t as hoursText } from '../../business-hours/texts/index.js';
import { SaveBar, Section } from '../../screen.js';
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
    check: values => (faultOf(hoursOf(values)) ? { business_hours: 'unexpected' } : {}),
    toBody: values => ({ business_hours: hoursOf(values) }),
  });
  const hours = hoursOf(form.values);
  const fault = faultOf(hours);
  return (
    <Section title={t('hours')} intro={t('hoursHint')}>
      <form noValidate onSubmit={form.submit}>
        <HoursEditor
          value={hours}
          nullName={t('workspaceHours')}
          onChange={value => form.change('business_hours', JSON.stringify(value))}
        />
        {form.faultOf('business_hours') && (
          <p class="banner danger" role="alert">
            {fault ? hoursText(fault) : form.faultOf('business_hours')}
          </p>
        )}
        <SaveBar form={form} />
      </form>
    </Section>
  );
}

const hoursOf = ({ business_hours: text }: { business_hours: string }) => JSON.parse(text) as BusinessHours | null;
