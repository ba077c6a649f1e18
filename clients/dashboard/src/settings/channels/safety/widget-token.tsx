import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { Button } from '../../../parts/button.js';
import { Checks } from '../../../parts/checks.js';
import { Confirmation } from '../../../parts/confirmation.js';
import { toasts } from '../../../parts/toasts.js';
import { useSession } from '../../../session-context.js';
import { describe } from '../../errors.js';
import { Section } from '../../screen.js';
import type { ChannelPartProps } from '../channel-part.js';
import { t } from '../texts/index.js';

/** Replaces the public token, and leads to the new line for the website. */
export function WidgetToken({ channel, onChange }: ChannelPartProps) {
  const { agent } = useSession();
  const [, navigate] = useLocation();
  const [isAsking, setAsking] = useState(false);
  const [chosen, setChosen] = useState<string[]>([]);
  const { id, name, widget_token: token } = channel;
  return (
    <Section title={t('token')} intro={t('tokenHint')}>
      <p>
        <code dir="ltr">{token}</code>
      </p>
      <div>
        <Button look="quiet" onClick={() => setAsking(true)}>
          {t('replaceToken')}
        </Button>
      </div>
      {isAsking && (
        <Confirmation
          title={t('replaceTokenTitle', { name })}
          action={t('replaceToken')}
          describe={describe}
          onConfirm={async () => {
            onChange(await agent.channels.rotateToken(id, { endSessions: chosen.length > 0 }));
            toasts.show({ kind: 'done', text: t('tokenReplaced') });
            navigate(`/settings/channels/${id}/install`);
          }}
          onClose={() => setAsking(false)}
        >
          <p>{t('replaceTokenText')}</p>
          <Checks
            label={t('sessions')}
            options={[{ value: 'end', name: t('endSessions') }]}
            chosen={chosen}
            onChange={setChosen}
          />
        </Confirmation>
      )}
    </Section>
  );
}
