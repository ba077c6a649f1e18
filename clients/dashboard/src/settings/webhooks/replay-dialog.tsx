import { useState } from 'preact/hooks';
import { useForm } from '../../forms/use-form.js';
import { Banner } from '../../parts/banner.js';
import { FormButtons } from '../../parts/form-buttons.js';
import { Choice } from '../../parts/choice.js';
import { Dialog } from '../../parts/dialog.js';
import { Field } from '../../parts/field.js';
import { Select } from '../../parts/select.js';
import { toasts } from '../../parts/toasts.js';
import { useSession } from '../../session-context.js';
import { COMMON_CODES } from '../errors.js';
import { t, type TextKey } from './texts/index.js';

const MINUTE_MS = 60_000;
const SPANS_MS = { hour: 60 * MINUTE_MS, day: 1_440 * MINUTE_MS, week: 10_080 * MINUTE_MS } as const;
const RANGES = ['hour', 'day', 'week', 'custom'] as const;

export interface ReplayDialogProps {
  webhookId: string;
  onQueue(): void;
  onClose(): void;
}

/** Sends the events of a time again. */
export function ReplayDialog({ webhookId, onQueue, onClose }: ReplayDialogProps) {
  const { agent } = useSession();
  const [range, setRange] = useState<(typeof RANGES)[number]>('hour');
  const [which, setWhich] = useState<'all' | 'failed'>('all');
  const [isNothing, setNothing] = useState(false);
  const isCustom = range === 'custom';
  const form = useForm<'from' | 'to', TextKey>({
    initial: { from: localTime(Date.now() - SPANS_MS.day), to: localTime(Date.now() + MINUTE_MS) },
    optional: isCustom ? [] : ['from', 'to'],
    texts: {
      fields: { from: 'timeMissing', to: 'timeMissing' },
      faults: { range: 'endsTooEarly', too_many: 'replayTooLarge' },
      codes: {
        ...COMMON_CODES,
        replay_running: { key: 'replayRunning' },
        webhook_disabled: { key: 'webhookDisabled' },
      },
    },
    translate: t,
    send: async ({ from, to }) => {
      setNothing(false);
      const now = Date.now();
      const [begin, end] = isCustom ? [Date.parse(from), Date.parse(to)] : [now - SPANS_MS[range], now];
      const { queued } = await agent.webhooks.replay(webhookId, {
        from: new Date(begin).toISOString(),
        to: new Date(end).toISOString(),
        only_failed: which === 'failed',
      });
      if (queued === 0) return setNothing(true);
      toasts.show({ kind: 'done', text: t('queued', { count: queued }) });
      onQueue();
      onClose();
    },
  });
  return (
    <Dialog title={t('replayTitle')} onClose={onClose} isSticky>
      <p>{t('replayText')}</p>
      {form.failure && <Banner kind="danger">{form.failure}</Banner>}
      {isNothing && <Banner kind="info">{t('nothingQueued')}</Banner>}
      <form noValidate onSubmit={form.submit}>
        <Select
          label={t('range')}
          name={isCustom ? 'range' : 'from'}
          value={range}
          options={RANGES.map(value => ({ value, name: t(RANGE_TEXTS[value]) }))}
          fault={isCustom ? undefined : form.faultOf('from')}
          onChange={chosen => setRange(chosen)}
        />
        {isCustom && (
          <>
            <Field form={form} name="from" type="datetime-local" label={t('from')} />
            <Field form={form} name="to" type="datetime-local" label={t('to')} />
          </>
        )}
        <div class="field">
          <Choice
            label={t('which')}
            name="which"
            value={which}
            options={[
              { value: 'all', name: t('replayAll') },
              { value: 'failed', name: t('replayFailed') },
            ]}
            onChange={chosen => setWhich(chosen)}
          />
          <p class="hint">{t('replayLimits')}</p>
        </div>
        <FormButtons action={t('startReplay')} isWaiting={form.isSending} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

const RANGE_TEXTS = { hour: 'lastHour', day: 'lastDay', week: 'lastWeek', custom: 'ownRange' } as const;

/** A time as a field of the browser has it, in the time zone of the browser and to the minute. */
function localTime(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * MINUTE_MS;
  return new Date(ms - offsetMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}
