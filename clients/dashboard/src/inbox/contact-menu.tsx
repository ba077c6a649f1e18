import type { ContactView } from '@support-chat/sdk';
import { useState } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { Confirmation } from '../parts/confirmation.js';
import { useDesk } from '../desk/desk-context.js';
import { failureText } from './failure-text.js';
import { contactName } from './names.js';
import { t } from './texts/index.js';

/** Blocks, exports or erases a person. Each role sees what it may. */
export function ContactMenu({ contact }: { contact: ContactView }) {
  const { agent, store, toasts, session } = useDesk();
  const [asks, setAsks] = useState<'block' | 'erase'>();
  const { scope, acting_role } = session.me;
  if (scope.type !== 'all') return null;
  const name = contactName(contact);
  const attempt = async (call: () => Promise<void>) => {
    try {
      await call();
    } catch (error) {
      toasts.show({ kind: 'failed', text: t('failedOne', { name, reason: failureText(error) }) });
    }
  };
  const setBlocked = async (isBlocked: boolean) => {
    const mark = store.mark();
    const { id } = contact;
    store.applyContact(await (isBlocked ? agent.contacts.block(id) : agent.contacts.unblock(id)), mark);
    toasts.show({ kind: 'done', text: t(isBlocked ? 'doneBlocked' : 'doneUnblocked', { name }) });
  };
  const exportAll = () =>
    attempt(async () => {
      const data = await agent.contacts.export(contact.id);
      saveFile(`contact-${contact.id}.json`, JSON.stringify(data, null, 2));
    });
  const erase = async () => {
    await agent.contacts.delete(contact.id);
    toasts.show({ kind: 'done', text: t('doneErased', { name }) });
  };
  return (
    <section class="danger-zone">
      <Button look="quiet" onClick={() => void exportAll()}>
        {t('export')}
      </Button>
      <Button look="quiet" onClick={() => (contact.blocked ? void attempt(() => setBlocked(false)) : setAsks('block'))}>
        {t(contact.blocked ? 'unblock' : 'block')}
      </Button>
      {acting_role !== 'agent' && (
        <Button look="quiet" onClick={() => setAsks('erase')}>
          {t('erase')}
        </Button>
      )}
      {asks && (
        <Confirmation
          title={t(asks === 'block' ? 'blockTitle' : 'eraseTitle', { name })}
          action={t(asks)}
          describe={failureText}
          onConfirm={() => (asks === 'block' ? setBlocked(true) : erase())}
          onClose={() => setAsks(undefined)}
        >
          <p>{t(asks === 'block' ? 'blockText' : 'eraseText')}</p>
        </Confirmation>
      )}
    </section>
  );
}

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
