import { useState } from 'preact/hooks';
import type { ChannelView, MemberView } from '@support-chat/sdk';
import { Button } from '../../parts/button.js';
import { Confirmation } from '../../parts/confirmation.js';
import { Empty } from '../../parts/empty.js';
import { PageList } from '../../parts/page-list.js';
import { Row } from '../../parts/row.js';
import { toasts } from '../../parts/toasts.js';
import type { Pages } from '../../parts/use-pages.js';
import { useSession } from '../../session-context.js';
import { accessOf, rolesUpTo } from '../access.js';
import { Section } from '../screen.js';
import { describeChannels } from '../channel-names.js';
import { describe } from './errors.js';
import { MemberDialog } from './member-dialog.js';
import { t } from './texts/index.js';

export interface MemberListProps {
  members: Pages<MemberView>;
  channels: readonly ChannelView[];
}

export function MemberList({ members, channels }: MemberListProps) {
  const { agent, me } = useSession();
  const { isAdmin, role } = accessOf(me);
  const [edited, setEdited] = useState<MemberView>();
  const [deactivated, setDeactivated] = useState<MemberView>();
  const replace = (changed: MemberView) =>
    members.update(items => items.map(item => (item.id === changed.id ? changed : item)));
  const reactivate = async (member: MemberView) => {
    try {
      replace(await agent.members.reactivate(member.id));
      toasts.show({ kind: 'done', text: t('memberReactivated', { name: member.name }) });
    } catch (error) {
      toasts.show({ kind: 'failed', text: describe(error) });
    }
  };
  const actionsOf = (member: MemberView) => {
    if (!isAdmin || !rolesUpTo(role).includes(member.role)) return null;
    const nameOf = (action: string) => t('of', { action, name: member.name });
    if (member.status === 'deactivated') {
      return (
        <Button look="quiet" isSmall name={nameOf(t('reactivate'))} onClick={() => void reactivate(member)}>
          {t('reactivate')}
        </Button>
      );
    }
    return (
      <>
        <Button look="quiet" isSmall name={nameOf(t('edit'))} onClick={() => setEdited(member)}>
          {t('edit')}
        </Button>
        {member.id !== me.member.id && (
          <Button look="quiet" isSmall name={nameOf(t('deactivate'))} onClick={() => setDeactivated(member)}>
            {t('deactivate')}
          </Button>
        )}
      </>
    );
  };
  return (
    <Section title={t('team')}>
      <PageList pages={members} label={t('team')} empty={<Empty title={t('noMembers')} text={t('noMembersText')} />}>
        {member => (
          <Row
            key={member.id}
            title={member.id === me.member.id ? `${member.name} (${t('you')})` : member.name}
            facts={[
              member.status === 'deactivated' && t('deactivated'),
              t(member.role),
              member.email,
              describeChannels(member.channel_ids, channels),
              t('capacityOf', { count: member.capacity }),
            ]}
          >
            {actionsOf(member)}
          </Row>
        )}
      </PageList>
      {edited && (
        <MemberDialog member={edited} channels={channels} onSave={replace} onClose={() => setEdited(undefined)} />
      )}
      {deactivated && (
        <Confirmation
          title={t('deactivateTitle', { name: deactivated.name })}
          action={t('deactivate')}
          describe={describe}
          onConfirm={async () => {
            replace(await agent.members.deactivate(deactivated.id));
            toasts.show({ kind: 'done', text: t('memberDeactivated', { name: deactivated.name }) });
          }}
          onClose={() => setDeactivated(undefined)}
        >
          <p>{t('deactivateText')}</p>
        </Confirmation>
      )}
    </Section>
  );
}
