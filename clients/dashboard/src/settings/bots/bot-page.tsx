import { useLocation } from 'wouter-preact';
import type { BotView } from '@support-chat/sdk';
import { Skeleton } from '../../parts/skeleton.js';
import { toasts } from '../../parts/toasts.js';
import { useLoaded } from '../../parts/use-loaded.js';
import { useSession } from '../../session-context.js';
import { accessOf } from '../access.js';
import { DeleteSection } from '../endpoints/delete-section.js';
import { EnabledSwitch } from '../endpoints/enabled-switch.js';
import { PageFailure } from '../endpoints/page-failure.js';
import { SecretSection } from '../endpoints/secret.js';
import { Facts, Screen } from '../screen.js';
import { BotChannels } from './bot-channels.js';
import type { BotPartProps } from './bot-part.js';
import { BotSettings } from './bot-settings.js';
import { BotTest } from './bot-test.js';
import { t } from './texts/index.js';

/** One bot. Owners and admins change it. */
export function BotPage({ id }: { id: string }) {
  const { agent, me } = useSession();
  const { value: bot, error, reload, set } = useLoaded(() => agent.bots.get(id));
  const { isAdmin } = accessOf(me);
  const parent = { href: '/settings/bots', name: t('bots') };
  if (!bot && error === undefined) return <Skeleton />;
  if (!bot) return <PageFailure error={error} parent={parent} onRetry={() => void reload()} />;
  return (
    <Screen title={bot.name} isReadOnly={!isAdmin} parent={parent}>
      {isAdmin ? (
        <>
          <EnabledBot bot={bot} onChange={set} />
          <BotSettings bot={bot} onChange={set} />
          <BotChannels bot={bot} />
          <BotTest bot={bot} />
          <SecretSection name={bot.name} rotate={async () => (await agent.bots.rotateSecret(id)).secret} />
          <DeleteBot bot={bot} />
        </>
      ) : (
        <>
          <BotFacts bot={bot} />
          <BotChannels bot={bot} />
        </>
      )}
    </Screen>
  );
}

function EnabledBot({ bot, onChange }: BotPartProps) {
  const { agent } = useSession();
  const { id, name, status } = bot;
  return (
    <EnabledSwitch
      isOn={status === 'enabled'}
      hint={t('enabledHint')}
      question={{ title: t('disableTitle', { name }), text: t('disableText') }}
      onChange={async isOn => {
        onChange(await agent.bots.update(id, { status: isOn ? 'enabled' : 'disabled' }));
        toasts.show({ kind: 'done', text: t(isOn ? 'isEnabled' : 'isDisabled', { name }) });
      }}
    />
  );
}

function DeleteBot({ bot: { id, name } }: { bot: BotView }) {
  const { agent } = useSession();
  const [, navigate] = useLocation();
  return (
    <DeleteSection
      title={t('deleteBot')}
      text={t('deleteText')}
      name={name}
      onDelete={async () => {
        await agent.bots.delete(id);
        toasts.show({ kind: 'done', text: t('deleted', { name }) });
        navigate('/settings/bots', { replace: true });
      }}
    />
  );
}

function BotFacts({ bot }: { bot: BotView }) {
  const isEnabled = bot.status === 'enabled';
  return (
    <Facts
      facts={[
        [t('state'), t(isEnabled ? 'enabled' : 'disabled')],
        [t('description'), bot.description ?? t('none')],
        [t('address'), bot.webhook_url ?? t('apiOnly')],
        [t('timeout'), String(bot.timeout_seconds)],
        [t('history'), String(bot.history_count)],
      ]}
    />
  );
}
