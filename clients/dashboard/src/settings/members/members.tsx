import { useState } from 'preact/hooks';
import type { ChannelView } from '@support-chat/sdk';
import { Button } from '../../parts/button.js';
import { useLoaded } from '../../parts/use-loaded.js';
import { usePages } from '../../parts/use-pages.js';
import { useSession } from '../../session-context.js';
import { accessOf } from '../access.js';
import { MAX_CHANNELS } from '../channel-choice.js';
import { Screen } from '../screen.js';
import { InviteDialog } from './invite-dialog.js';
import { InviteList } from './invite-list.js';
import { MemberList } from './member-list.js';
import { t } from './texts/index.js';

const NO_CHANNELS: readonly ChannelView[] = [];

/** Members and pending invites. Every member can read them. */
export default function Members() {
  const { agent, me } = useSession();
  const { isAdmin } = accessOf(me);
  const members = usePages(next => agent.members.list(next));
  const invites = usePages(next => agent.invites.list({ status: 'pending', ...next }));
  const channels = useLoaded(async () => (await agent.channels.list({ limit: MAX_CHANNELS })).items);
  const [isInviting, setInviting] = useState(false);
  const known = channels.value ?? NO_CHANNELS;
  return (
    <Screen
      title={t('members')}
      intro={t('intro')}
      isReadOnly={!isAdmin}
      action={isAdmin && <Button onClick={() => setInviting(true)}>{t('invite')}</Button>}
    >
      <MemberList members={members} channels={known} />
      <InviteList invites={invites} channels={known} />
      {isInviting && (
        <InviteDialog channels={known} onCreate={() => void invites.reload()} onClose={() => setInviting(false)} />
      )}
    </Screen>
  );
}
