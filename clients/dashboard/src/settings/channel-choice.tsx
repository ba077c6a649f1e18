import type { ChannelView } from '@support-chat/sdk';
import { Checks } from '../../parts/checks.js';
import { Choice } from '../../parts/choice.js';
import { t } from './texts/index.js';

export interface ChannelChoiceProps {
  channels: readonly ChannelView[];
  /** Null is all channels, also future ones. */
  value: string[] | null;
  onChange(value: string[] | null): void;
}

export function ChannelChoice({ channels, value, onChange }: ChannelChoiceProps) {
  const options = [
    { value: 'all', name: t('allChannels') },
    { value: 'some', name: t('someChannels') },
  ] as const;
  return (
    <>
      <Choice
        label={t('channels')}
        name="channels"
        value={value ? 'some' : 'all'}
        options={options}
        onChange={chosen => onChange(chosen === 'all' ? null : [])}
      />
      {value && (
        <div class="field">
          <Checks
            label={t('channelList')}
            options={channels.map(({ id, name }) => ({ value: id, name }))}
            chosen={value}
            onChange={onChange}
          />
          <p class="hint">{t('channelsHint')}</p>
        </div>
      )}
    </>
  );
}
