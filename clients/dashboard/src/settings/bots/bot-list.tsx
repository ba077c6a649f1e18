import { Link, useLocation } from 'wouter-preact';
import type { BotView, ChannelView } from '@support-chat/sdk';
import { Button } from '../../parts/button.js';
import { Empty } from '../../parts/empty.js';
import { PageList } from '../../parts/page-list.js';
import { Row } from '../../parts/row.js';
import { useLoaded } from '../../parts/use-loaded.js';
import { usePages } from '../../parts/use-pages.js';
import { useSession } from '../../session-context.js';
import { accessOf } from '../access.js';
import { MAX_CHANNELS } from '../channel-choice.js';
import { hostOf } from '../endpoints/address-faults.js';
import { StateBadge } from '../endpoints/state-badge.js';
import { Screen } from '../screen.js';
import { formats, t } from './texts/index.js';

export function BotList() {
  const { agent, me } = useSession();
  const [, navigate] = useLocation();
  const { isAdmin } = accessOf(me);
  const bots = usePages(next => agent.bots.list(next));
  const channels = useLoaded(async () => (await agent.channels.list({ limit: MAX_CHANNELS })).items);
  const create = isAdmin && <Button onClick={() => navigate('/settings/bots/new')}>{t('newBot')}</Button>;
  return (
    <Screen title={t('bots')} intro={t('intro')} isReadOnly={!isAdmin} action={bots.items?.length !== 0 && create}>
      <PageList
        pages={bots}
        label={t('bots')}
        empty={
          <Empty title={t('noBots')} text={t('noBotsText')}>
            {create}
          </Empty>
        }
      >
        {bot => <BotRow key={bot.id} bot={bot} channels={channels.value} />}
      </PageList>
    </Screen>
  );
}

function BotRow({ bot, channels }: { bot: BotView; channels: readonly ChannelView[] | undefined }) {
  const { id, name, status, webhook_url: url } = bot;
  const names = channels?.filter(({ routing }) => routing.bot_id === id).map(channel => channel.name);
  return (
    <Row
      title={
        <>
          <Link href={`/settings/bots/${id}`}>{name}</Link>{' '}
          {status === 'disabled' && <StateBadge>{t('disabled')}</StateBadge>}
        </>
      }
      facts={[
        names && (names.length > 0 ? t('answersOn', { names: formats().list(names) }) : t('answersNowhere')),
        url === null ? t('apiOnly') : hostOf(url),
      ]}
    />
  );
}
