import type { ChannelView } from '@support-chat/sdk';
import { useEffect } from 'preact/hooks';
import { useDesk } from '../../desk/desk-context.js';
import { Banner } from '../../parts/banner.js';
import { Button } from '../../parts/button.js';
import { useLoaded } from '../../parts/use-loaded.js';
import { describe } from '../errors.js';
import { formats, t } from './texts/index.js';

/** Newest conversations that are looked through: those of other programs have no page. */
const LIMIT = 50;

/** The page on which the channel's newest conversation has begun: the line is in the website, and works. */
export function Seen({ channel: { id } }: { channel: ChannelView }) {
  const { agent, live } = useDesk();
  const newest = useLoaded(async () => {
    const { items } = await agent.conversations.list({ channel_id: id, sort: 'created', limit: LIMIT });
    return items.find(({ context }) => context?.page) ?? null;
  }, id);
  const { value, error, isLoading, reload } = newest;
  useEffect(
    () => live.on('conversation.created', ({ data }) => data.conversation.channel_id === id && void reload()),
    [live, id, reload],
  );
  const page = value?.context?.page;
  return (
    <>
      <p role="status">
        {page && t('seenOn', { page: page.url, time: formats().ago(value.created_at) })}
        {value === null && t('seenNowhere')}
      </p>
      {error !== undefined && <Banner kind="danger">{describe(error)}</Banner>}
      <div>
        <Button look="quiet" isSmall isWaiting={isLoading} onClick={() => void reload()}>
          {t('checkAgain')}
        </Button>
      </div>
    </>
  );
}
