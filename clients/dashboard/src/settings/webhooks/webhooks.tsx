import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { WebhookWithSecretView } from '@support-chat/sdk';
import { hostOf } from '../endpoints/address-faults.js';
import { SecretDialog } from '../endpoints/secret.js';
import { NewWebhook } from './new-webhook.js';
import { LIST } from './webhook-health.js';
import { WebhookList } from './webhook-list.js';
import { WebhookPage } from './webhook-page.js';

/** Addresses that receive the events of the workspace, for owners and admins. */
export default function Webhooks() {
  const [path, navigate] = useLocation();
  const [created, setCreated] = useState<WebhookWithSecretView>();
  const [, , , id, part] = path.split('/');
  const screen = () => {
    if (!id) return <WebhookList />;
    if (id !== 'new') return <WebhookPage key={id} id={id} isLog={part === 'deliveries'} />;
    return (
      <NewWebhook
        onCreate={webhook => {
          setCreated(webhook);
          navigate(`${LIST}/${webhook.id}`, { replace: true });
        }}
      />
    );
  };
  return (
    <>
      {screen()}
      {created && (
        <SecretDialog name={hostOf(created.url)} secret={created.secret} onClose={() => setCreated(undefined)} />
      )}
    </>
  );
}
