import { useEffect, useState } from 'preact/hooks';
import type { CannedResponseView, RenderedCannedResponseView } from '@support-chat/sdk';
import { Banner } from '../../parts/banner.js';
import { Button } from '../../parts/button.js';
import { Dialog } from '../../parts/dialog.js';
import { Select } from '../../parts/select.js';
import { Skeleton } from '../../parts/skeleton.js';
import { useLoaded } from '../../parts/use-loaded.js';
import { useSession } from '../../session-context.js';
import { describe } from '../errors.js';
import { formats, t } from './texts/index.js';

const MAX_OFFERED = 20;

/** Shows the text as the service fills it in for a conversation. */
export function CannedPreview({ response, onClose }: { response: CannedResponseView; onClose: () => void }) {
  const { agent } = useSession();
  const conversations = useLoaded(async () => (await agent.conversations.list({ limit: MAX_OFFERED })).items);
  const [chosen, setChosen] = useState<string>();
  const [rendered, setRendered] = useState<RenderedCannedResponseView>();
  const [failure, setFailure] = useState<string>();
  const id = chosen ?? conversations.value?.[0]?.id;
  useEffect(() => {
    if (id === undefined) return;
    let isCurrent = true;
    setFailure(undefined);
    agent.cannedResponses.render(response.id, id).then(
      result => isCurrent && setRendered(result),
      (error: unknown) => isCurrent && setFailure(describe(error)),
    );
    return () => void (isCurrent = false);
  }, [id]);
  const failed = failure ?? (conversations.error === undefined ? undefined : describe(conversations.error));
  return (
    <Dialog title={t('previewOf', { code: `/${response.short_code}` })} onClose={onClose}>
      {failed && <Banner kind="danger">{failed}</Banner>}
      {conversations.value?.length === 0 && (
        <>
          <p>{t('previewEmpty')}</p>
          <p class="preview">{response.content}</p>
        </>
      )}
      {id !== undefined && (
        <Select
          label={t('previewFor')}
          value={id}
          options={(conversations.value ?? []).map(({ id: value, number, contact }) => ({
            value,
            name: t('conversationOf', { number: String(number), name: contact.name ?? t('nobody') }),
          }))}
          onChange={setChosen}
        />
      )}
      {rendered && <Rendered rendered={rendered} />}
      {!rendered && !failed && conversations.value?.length !== 0 && <Skeleton lines={3} />}
      <div class="actions">
        <Button look="quiet" onClick={onClose}>
          {t('close')}
        </Button>
      </div>
    </Dialog>
  );
}

function Rendered({ rendered: { content, missing } }: { rendered: RenderedCannedResponseView }) {
  return (
    <section aria-label={t('previewText')}>
      <p class="preview" dir="auto">
        {content}
      </p>
      {missing.length > 0 && <p class="missing">{t('missing', { names: formats().list(missing) })}</p>}
    </section>
  );
}
