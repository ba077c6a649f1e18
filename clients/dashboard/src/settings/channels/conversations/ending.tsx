import { Field } from '../../../parts/field.js';
import { Switch } from '../../../parts/switch.js';
import { SaveBar, Section } from '../../screen.js';
import type { ChannelPartProps } from '../channel-part.js';
import { isWhole, numberOf } from '../lines.js';
import { t } from '../texts/index.js';
import { useChannelForm } from '../use-channel-form.js';

const MAX_HOURS = 8_760;
const FAULTS = {
  reopen_window_hours: 'reopenInvalid',
  auto_resolve_hours: 'autoResolveInvalid',
  single_conversation: 'unexpected',
  csat_enabled: 'unexpected',
} as const;

/** How conversations end and go on, and the rating afterwards. */
export function Ending(props: ChannelPartProps) {
  const { channel } = props;
  const form = useChannelForm({
    ...props,
    part: 'ending',
    initial: {
      reopen_window_hours: String(channel.reopen_window_hours),
      auto_resolve_hours: String(channel.auto_resolve_hours ?? ''),
      single_conversation: String(channel.single_conversation),
      csat_enabled: String(channel.csat_enabled),
    },
    faults: FAULTS,
    optional: ['auto_resolve_hours'],
    check: values => ({
      ...(!isWhole(values.reopen_window_hours, 0, MAX_HOURS) && { reopen_window_hours: 'reopenInvalid' }),
      ...(!isWhole(values.auto_resolve_hours, 1, MAX_HOURS, true) && { auto_resolve_hours: 'autoResolveInvalid' }),
    }),
    toBody: values => ({
      reopen_window_hours: Number(values.reopen_window_hours),
      auto_resolve_hours: numberOf(values.auto_resolve_hours),
      single_conversation: values.single_conversation === 'true',
      csat_enabled: values.csat_enabled === 'true',
    }),
  });
  const switches = [
    { name: 'single_conversation', label: t('single'), hint: t('singleHint') },
    { name: 'csat_enabled', label: t('csat'), hint: t('csatHint') },
  ] as const;
  return (
    <Section title={t('ending')}>
      <form noValidate onSubmit={form.submit}>
        <Field
          form={form}
          name="auto_resolve_hours"
          type="number"
          label={t('autoResolve')}
          hint={t('autoResolveHint')}
        />
        <Field form={form} name="reopen_window_hours" type="number" label={t('reopen')} hint={t('reopenHint')} />
        {switches.map(({ name, label, hint }) => (
          <Switch
            key={name}
            label={label}
            hint={hint}
            isOn={form.values[name] === 'true'}
            onChange={isOn => form.change(name, String(isOn))}
          />
        ))}
        <SaveBar form={form} />
      </form>
    </Section>
  );
}
