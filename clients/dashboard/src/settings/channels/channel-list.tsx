import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { ChannelView } from '@support-chat/sdk';
import { Button } from '../../parts/button.js';
import { Empty } from '../../parts/empty.js';
import { PageList } from '../../parts/page-list.js';
import { Row } from '../../parts/row.js';
import { usePages } from '../../parts/use-pages.js';
import { useSession } from '../../session-context.js';
import { accessOf } from '../access.js';
import { Screen } from '../screen.js';
import { CreateChannel } from './create-channel.js';
import { t } from './texts/index.js';

/** All channels that the member sees. */
export function ChannelList() {
  const { agent, me } = useSession();
  const { isAdmin } = accessOf(me);
  const channels = usePages(next => agent.channels.list(next));
  const [isCreating, setCreating] = useState(false);
  const create = isAdmin && <Button onClick={() => setCreating(true)}>{t('create')}</Button>;
  return (
    <Screen
      title={t('channels')}
      intro={t('intro')}
      isReadOnly={!isAdmin}
      action={channels.items?.length !== 0 && create}
    >
      <PageList
        pages={channels}
        label={t('channels')}
        empty={
          <Empty title={t('noChannelsTitle')} text={t('noChannelsText')}>
            {create}
          </Empty>
        }
      >
        {channel => (
          <Row
            key={channel.id}
            title={<Link href={`/settings/channels/${channel.id}`}>{channel.name}</Link>}
            facts={[t(channel.status), websitesOf(channel)]}
          />
        )}
      </PageList>
      {isCreating && <CreateChannel onCreate={() => void channels.reload()} onClose={() => setCreating(false)} />}
    </Screen>
  );
}

/** Where the chat can be, such as "https://shop.example". */
export function websitesOf({ allowed_origins: origins }: ChannelView): string {
  const [first] = origins;
  if (first === undefined) return t('anyWebsite');
  return origins.length === 1 ? first : t('websites', { count: origins.length });
}
