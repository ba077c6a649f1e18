import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { BotWithSecretView } from '@support-chat/sdk';
import { useSession } from '../../session-context.js';
import { accessOf } from '../access.js';
import { SecretDialog } from '../endpoints/secret.js';
import { BotList } from './bot-list.js';
import { BotPage } from './bot-page.js';
import { NewBot } from './new-bot.js';

const LIST = '/settings/bots';

/** The bots of the workspace. Every member can read them. */
export default function Bots() {
  const { me } = useSession();
  const [path, navigate] = useLocation();
  const [created, setCreated] = useState<BotWithSecretView>();
  const [, , , id] = path.split('/');
  const { isAdmin } = accessOf(me);
  const screen = () => {
    if (!id || (id === 'new' && !isAdmin)) return <BotList />;
    if (id !== 'new') return <BotPage key={id} id={id} />;
    return (
      <NewBot
        onCreate={bot => {
          setCreated(bot);
          navigate(`${LIST}/${bot.id}`, { replace: true });
        }}
      />
    );
  };
  return (
    <>
      {screen()}
      {created && <SecretDialog name={created.name} secret={created.secret} onClose={() => setCreated(undefined)} />}
    </>
  );
}
