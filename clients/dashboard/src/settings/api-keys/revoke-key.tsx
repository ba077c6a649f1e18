import { useState } from 'preact/hooks';
import type { ApiKeyView } from '@support-chat/sdk';
import { Checks } from '../../parts/checks.js';
import { Confirmation } from '../../parts/confirmation.js';
import { toasts } from '../../parts/toasts.js';
import { useSession } from '../../session-context.js';
import { describe } from '../errors.js';
import { t } from './texts/index.js';

export interface RevokeKeyProps {
  apiKey: ApiKeyView;
  onRevoke(): void;
  onClose(): void;
}

/** Asks before a key is revoked, with or without its sessions. */
export function RevokeKey({ apiKey, onRevoke, onClose }: RevokeKeyProps) {
  const { agent } = useSession();
  const [chosen, setChosen] = useState<string[]>([]);
  const { id, name } = apiKey;
  return (
    <Confirmation
      title={t('revokeTitle', { name })}
      action={t('revoke')}
      describe={describe}
      onConfirm={async () => {
        await agent.apiKeys.revoke(id, { endSessions: chosen.length > 0 });
        onRevoke();
        toasts.show({ kind: 'done', text: t('keyRevoked', { name }) });
      }}
      onClose={onClose}
    >
      <p>{t('revokeText')}</p>
      <Checks
        label={t('sessions')}
        options={[{ value: 'end', name: t('endSessions') }]}
        chosen={chosen}
        onChange={setChosen}
      />
    </Confirmation>
  );
}
