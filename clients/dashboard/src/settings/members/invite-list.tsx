import { useState } from 'preact/hooks';
import type { ChannelView, InviteView, IssuedInviteView } from '@support-chat/sdk';
import { Button } from '../../parts/button.js';
import { Confirmation } from '../../parts/confirmation.js';
import { Empty } from '../../parts/empty.js';
import { PageList } from '../../parts/page-list.js';
import { Row } from '../../parts/row.js';
import { toasts } from '../../parts/toasts.js';
import type { Pages } from '../../parts/use-pages.js';
import { useSession } from '../../session-context.js';
import { accessOf } from '../access.js';
import { dateText } from '../dates.js';
import { Section } from '../screen.js';
import { describeChannels } from '../channel-names.js';
import { describe } from './errors.js';
import { InviteLink } from './invite-dialog.js';
import { t } from './texts/index.js';

export interface InviteListProps {
  invites: Pages<InviteView>;
  channels: readonly ChannelView[];
}

/** Pending invites. A new link makes the old one invalid. */
export function InviteList({ invites, channels }: InviteListProps) {
  const { agent, me } = useSession();
  const { isAdmin } = accessOf(me);
  const [renewed, setRenewed] = useState<IssuedInviteView>();
  const [revoked, setRevoked] = useState<InviteView>();
  const renew = async (invite: InviteView) => {
    try {
      setRenewed(await agent.invites.resend(invite.id));
    } catch (error) {
      toasts.show({ kind: 'failed', text: describe(error) });
    }
    await invites.reload();
  };
  const empty = <Empty title={t('noInvites')} text={t('noInvitesText')} />;
  return (
    <Section title={t('invites')}>
      <PageList pages={invites} label={t('invites')} empty={empty}>
        {invite => (
          <Row
            key={invite.id}
            title={invite.email}
            facts={[
              t(invite.role),
              describeChannels(invite.channel_ids, channels),
              t('expires', { date: dateText(invite.expires_at) }),
            ]}
          >
            {isAdmin && (
              <>
                <Button
                  look="quiet"
                  isSmall
                  name={t('of', { action: t('renew'), name: invite.email })}
                  onClick={() => void renew(invite)}
                >
                  {t('renew')}
                </Button>
                <Button
                  look="quiet"
                  isSmall
                  name={t('of', { action: t('revoke'), name: invite.email })}
                  onClick={() => setRevoked(invite)}
                >
                  {t('revoke')}
                </Button>
              </>
            )}
          </Row>
        )}
      </PageList>
      {renewed && <InviteLink invite={renewed} onClose={() => setRenewed(undefined)} />}
      {revoked && (
        <Confirmation
          title={t('revokeTitle', { email: revoked.email })}
          action={t('revoke')}
          describe={describe}
          onConfirm={async () => {
            await agent.invites.revoke(revoked.id);
            invites.update(items => items.filter(({ id }) => id !== revoked.id));
            toasts.show({ kind: 'done', text: t('inviteRevoked', { email: revoked.email }) });
          }}
          onClose={() => setRevoked(undefined)}
        >
          <p>{t('revokeText')}</p>
        </Confirmation>
      )}
    </Section>
  );
}
