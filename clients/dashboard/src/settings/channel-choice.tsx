import type { ChannelView } from '@support-chat/sdk';
import { Checks } from '../parts/checks.js';
import { Choice } from '../parts/choice.js';
import { t } from './texts/index.js';

/** At most this many channels are offered. */
export const MAX_CHANNELS = 200;

export interface ChannelChoiceProps {
  channels: readonly ChannelView[];
  /** Heading above the channels. */
  listLabel: string;
  /** The effect of a choice. */
  hint: string;
  fault?: string | undefined;
  /** Null is all channels, also future ones. */
  value: string[] | null;
  onChange(value: string[] | null): void;
}

export function ChannelChoice({ channels, listLabel, hint, fault, value, onChange }: ChannelChoiceProps) {
  const options = [
    { value: 'all', name: t('allChannels') },
    { value: 'some', name: t('someChannels') },
  ] as const;
  return (
    <>
      <Choice
        label={t('channelChoice')}
        name="channel_ids"
        value={value ? 'some' : 'all'}
        options={options}
        onChange={chosen => onChange(chosen === 'all' ? null : [])}
      />
      {value && (
        <div class="field">
          <Checks
            label={listLabel}
            options={channels.map(({ id, name }) => ({ value: id, name }))}
            chosen={value}
            onChange={onChange}
          />
          {fault && <p class="fault">{fault}</p>}
          <p class="hint">{hint}</p>
        </div>
      )}
    </>
  );
}
