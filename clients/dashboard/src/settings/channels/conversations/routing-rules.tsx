import type { ChannelView } from '@support-chat/sdk';
import { useDesk } from '../../../desk/desk-context.js';
import { Field } from '../../../parts/field.js';
import { Select } from '../../../parts/select.js';
import { SaveBar, Section } from '../../screen.js';
import type { ChannelPartProps } from '../channel-part.js';
import { isWhole, numberOf } from '../lines.js';
import { t } from '../texts/index.js';
import { useChannelForm } from '../use-channel-form.js';

const MAX_MINUTES = 10_080;
const FAULTS = {
  'routing.mode': 'routingInvalid',
  'routing.bot_id': 'botInvalid',
  'routing.reassign_after_minutes': 'reassignInvalid',
} as const;

/** The bot that answers first, and how members get conversations. */
export function RoutingRules(props: ChannelPartProps) {
  const { routing } = props.channel;
  const { directory } = useDesk();
  const form = useChannelForm({
    ...props,
    part: 'routing',
    initial: {
      'routing.mode': routing.mode,
      'routing.bot_id': routing.bot_id ?? '',
      'routing.reassign_after_minutes': String(routing.reassign_after_minutes ?? ''),
    },
    faults: FAULTS,
    optional: ['routing.bot_id', 'routing.reassign_after_minutes'],
    check: values =>
      isWhole(values['routing.reassign_after_minutes'], 1, MAX_MINUTES, true)
        ? {}
        : { 'routing.reassign_after_minutes': 'reassignInvalid' },
    toBody: values => ({
      routing: {
        mode: values['routing.mode'] as ChannelView['routing']['mode'],
        bot_id: values['routing.bot_id'] || null,
        reassign_after_minutes: numberOf(values['routing.reassign_after_minutes']),
      },
    }),
  });
  const bots = [...directory.bots.value.values()].map(({ id, name, status }) => ({
    value: id,
    name: status === 'enabled' ? name : t('botOff', { name }),
  }));
  return (
    <Section title={t('routing')}>
      <form noValidate onSubmit={form.submit}>
        <Select
          label={t('routingMode')}
          name="routing.mode"
          value={form.values['routing.mode']}
          options={[
            { value: 'manual', name: t('routingManual') },
            { value: 'round_robin', name: t('routingRoundRobin') },
            { value: 'least_loaded', name: t('routingLeastLoaded') },
          ]}
          hint={t('routingHint')}
          fault={form.faultOf('routing.mode')}
          onChange={value => form.change('routing.mode', value)}
        />
        <Select
          label={t('bot')}
          name="routing.bot_id"
          value={form.values['routing.bot_id']}
          options={[{ value: '', name: t('noBot') }, ...bots]}
          hint={t('botHint')}
          fault={form.faultOf('routing.bot_id')}
          onChange={value => form.change('routing.bot_id', value)}
        />
        <Field
          form={form}
          name="routing.reassign_after_minutes"
          type="number"
          label={t('reassign')}
          hint={t('reassignHint')}
        />
        <SaveBar form={form} />
      </form>
    </Section>
  );
}
