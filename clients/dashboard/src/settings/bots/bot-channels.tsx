import { useState } from 'preact/hooks';
import type { BotView, ChannelView } from '@support-chat/sdk';
import { Confirmation } from '../../parts/confirmation.js';
import { LoadFailure } from '../../parts/page-list.js';
import { Skeleton } from '../../parts/skeleton.js';
import { Switch } from '../../parts/switch.js';
import { toasts } from '../../parts/toasts.js';
import { useLoaded } from '../../parts/use-loaded.js';
import { useSession } from '../../session-context.js';
import { accessOf } from '../access.js';
import { MAX_CHANNELS } from '../channel-choice.js';
import { describe } from '../errors.js';
import { Section } from '../screen.js';
import { formats, t } from './texts/index.js';

/** The channels on which the bot answers first. Taking a channel from a bot hands its conversations to people. */
export function BotChannels({ bot }: { bot: BotView }) {
  const { agent, me } = useSession();
  const { isAdmin } = accessOf(me);
  const channels = useLoaded(async () => (await agent.channels.list({ limit: MAX_CHANNELS })).items);
  const bots = useLoaded(async () => (await agent.bots.list({ limit: MAX_CHANNELS })).items);
  const [asked, setAsked] = useState<ChannelView>();
  const { value, error, reload, set } = channels;
  if (!value) return error === undefined ? <Skeleton /> : <LoadFailure error={error} onRetry={() => void reload()} />;
  const own = value.filter(({ routing }) => routing.bot_id === bot.id);
  const nameOf = (id: string) => bots.value?.find(each => each.id === id)?.name ?? t('anotherBot');
  const isOwn = (channel: ChannelView) => channel.routing.bot_id === bot.id;

  const route = async (channel: ChannelView) => {
    const routing = { bot_id: isOwn(channel) ? null : bot.id };
    const changed = await agent.channels.update(channel.id, { routing });
    set(value.map(each => (each.id === changed.id ? changed : each)));
    const values = { name: bot.name, channel: channel.name };
    toasts.show({ kind: 'done', text: t(routing.bot_id === null ? 'channelLeft' : 'channelTaken', values) });
  };
  const choose = (channel: ChannelView) => {
    if (channel.routing.bot_id !== null) return setAsked(channel);
    route(channel).catch((failure: unknown) => toasts.show({ kind: 'failed', text: describe(failure) }));
  };
  return (
    <Section title={t('channelsTitle')} intro={t('channelsIntro')}>
      {!isAdmin && <p>{own.length > 0 ? formats().list(own.map(({ name }) => name)) : t('answersNowhere')}</p>}
      {isAdmin &&
        value.map(channel => (
          <Switch
            key={channel.id}
            label={channel.name}
            hint={hintOf(channel, bot, nameOf)}
            isOn={isOwn(channel)}
            onChange={() => choose(channel)}
          />
        ))}
      {asked && (
        <Confirmation
          title={t(isOwn(asked) ? 'leaveTitle' : 'takeTitle', { name: bot.name, channel: asked.name })}
          action={t(isOwn(asked) ? 'leave' : 'take')}
          look={isOwn(asked) ? 'danger' : 'primary'}
          describe={describe}
          onConfirm={() => route(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>{t('leaveText', { name: nameOf(asked.routing.bot_id ?? bot.id) })}</p>
        </Confirmation>
      )}
    </Section>
  );
}

function hintOf({ routing: { bot_id: id } }: ChannelView, bot: BotView, nameOf: (id: string) => string): string {
  if (id === null) return t('peopleFirst');
  return id === bot.id ? t('botFirst', { name: bot.name }) : t('otherFirst', { name: nameOf(id) });
}
