import { useState } from 'preact/hooks';
import type { CannedResponseView } from '@support-chat/sdk';
import { Button } from '../../parts/button.js';
import { Confirmation } from '../../parts/confirmation.js';
import { Empty } from '../../parts/empty.js';
import { PageList } from '../../parts/page-list.js';
import { Row } from '../../parts/row.js';
import { toasts } from '../../parts/toasts.js';
import { usePages } from '../../parts/use-pages.js';
import { useSession } from '../../session-context.js';
import { describe } from '../errors.js';
import { Screen } from '../screen.js';
import { CannedDialog } from './canned-dialog.js';
import { CannedPreview } from './canned-preview.js';
import { SearchField } from './search-field.js';
import { formats, t } from './texts/index.js';

type Open = { kind: 'edit' | 'preview' | 'delete'; response: CannedResponseView } | { kind: 'new' };

/** Prepared answers, which every member can change. */
export default function CannedResponses() {
  const { agent } = useSession();
  const [query, setQuery] = useState('');
  const [open, setOpen] = useState<Open>();
  const responses = usePages(next => agent.cannedResponses.list({ ...(query !== '' && { query }), ...next }), query);
  const close = () => setOpen(undefined);
  const create = <Button onClick={() => setOpen({ kind: 'new' })}>{t('newCanned')}</Button>;
  const isEmpty = responses.items?.length === 0 && query === '';
  return (
    <Screen title={t('cannedResponses')} intro={t('cannedIntro')} action={!isEmpty && create}>
      {!isEmpty && <SearchField onSearch={setQuery} />}
      <PageList
        pages={responses}
        label={t('cannedResponses')}
        empty={
          query === '' ? (
            <Empty title={t('noCanned')} text={t('noCannedText')}>
              {create}
            </Empty>
          ) : (
            <Empty title={t('nothingFound')} text={t('nothingFoundText', { text: query })} />
          )
        }
      >
        {response => <CannedRow key={response.id} response={response} onOpen={kind => setOpen({ kind, response })} />}
      </PageList>
      {(open?.kind === 'new' || open?.kind === 'edit') && (
        <CannedDialog
          response={open.kind === 'edit' ? open.response : undefined}
          onSave={() => void responses.reload()}
          onClose={close}
        />
      )}
      {open?.kind === 'preview' && <CannedPreview response={open.response} onClose={close} />}
      {open?.kind === 'delete' && (
        <Confirmation
          title={t('deleteCanned', { code: codeOf(open.response) })}
          action={t('delete')}
          describe={describe}
          onConfirm={async () => {
            const { response } = open;
            await agent.cannedResponses.delete(response.id);
            responses.update(items => items.filter(({ id }) => id !== response.id));
            toasts.show({ kind: 'done', text: t('cannedDeleted', { code: codeOf(response) }) });
          }}
          onClose={close}
        >
          <p>{t('deleteCannedText')}</p>
        </Confirmation>
      )}
    </Screen>
  );
}

const codeOf = ({ short_code: code }: CannedResponseView) => `/${code}`;

interface CannedRowProps {
  response: CannedResponseView;
  onOpen(kind: 'edit' | 'preview' | 'delete'): void;
}

function CannedRow({ response, onOpen }: CannedRowProps) {
  const code = codeOf(response);
  return (
    <Row
      title={
        <>
          {response.title} <code dir="ltr">{code}</code>
        </>
      }
      facts={[
        firstLine(response.content),
        response.tags.length > 0 && t('cannedTags', { names: formats().list(response.tags) }),
        t('usedTimes', { count: response.usage_count }),
      ]}
    >
      {(['preview', 'edit', 'delete'] as const).map(kind => (
        <Button
          key={kind}
          look="quiet"
          isSmall
          name={t('of', { action: t(kind), name: code })}
          onClick={() => onOpen(kind)}
        >
          {t(kind)}
        </Button>
      ))}
    </Row>
  );
}

const MAX_LENGTH = 80;

function firstLine(content: string): string {
  const line = content.trim().split('\n')[0] ?? '';
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
