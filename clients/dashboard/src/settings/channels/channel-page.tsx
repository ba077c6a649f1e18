import type { ComponentType } from 'preact';
import { Link } from 'wouter-preact';
import { ApiError } from '@support-chat/sdk';
import { LoadFailure } from '../../parts/page-list.js';
import { Skeleton } from '../../parts/skeleton.js';
import { useLoaded } from '../../parts/use-loaded.js';
import { useSession } from '../../session-context.js';
import { accessOf } from '../access.js';
import { Screen } from '../screen.js';
import { Appearance } from './appearance/appearance.js';
import { ChannelFacts } from './channel-facts.js';
import type { ChannelPartProps } from './channel-part.js';
import { Conversations } from './conversations/conversations.js';
import { General } from './general.js';
import { Install } from './install.js';
import { Safety } from './safety/safety.js';
import { t, type TextKey } from './texts/index.js';

interface Part {
  /** Last segment of the address. */
  readonly path: string;
  readonly name: TextKey;
  readonly Content: ComponentType<ChannelPartProps>;
}

const PARTS: readonly Part[] = [
  { path: '', name: 'tabGeneral', Content: General },
  { path: 'appearance', name: 'tabAppearance', Content: Appearance },
  { path: 'install', name: 'tabInstall', Content: Install },
  { path: 'conversations', name: 'tabConversations', Content: Conversations },
  { path: 'safety', name: 'tabSafety', Content: Safety },
];

/** One channel. Owners and admins change it, part by part; others read what it is. */
export function ChannelPage({ id, part }: { id: string; part: string }) {
  const { agent, me } = useSession();
  const { value: channel, error, reload, set } = useLoaded(() => agent.channels.get(id));
  const { isAdmin } = accessOf(me);
  const present = PARTS.find(({ path }) => path === part);
  if ((error instanceof ApiError && error.status === 404) || !present) return <NoChannel />;
  const { Content } = present;
  return (
    <>
      <Link class="to-list" href="/settings/channels">
        {t('allChannelsLink')}
      </Link>
      {!channel && error === undefined && <Skeleton />}
      {!channel && error !== undefined && <LoadFailure error={error} onRetry={() => void reload()} />}
      {channel && (
        <Screen title={channel.name} isReadOnly={!isAdmin}>
          {isAdmin ? (
            <>
              <PartLinks id={id} present={part} />
              <Content key={part} channel={channel} onChange={set} />
            </>
          ) : (
            <ChannelFacts channel={channel} />
          )}
        </Screen>
      )}
    </>
  );
}

function PartLinks({ id, present }: { id: string; present: string }) {
  return (
    <nav class="part-links" aria-label={t('parts')}>
      {PARTS.map(({ path, name }) => (
        <Link
          key={path}
          href={`/settings/channels/${id}${path && `/${path}`}`}
          aria-current={path === present ? 'page' : undefined}
        >
          {t(name)}
        </Link>
      ))}
    </nav>
  );
}

function NoChannel() {
  return (
    <div class="nothing">
      <h1>{t('noChannelTitle')}</h1>
      <p>{t('noChannel')}</p>
      <Link href="/settings/channels">{t('allChannelsLink')}</Link>
    </div>
  );
}
