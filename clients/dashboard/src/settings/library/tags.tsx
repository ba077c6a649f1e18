import { useState } from 'preact/hooks';
import type { TagView } from '@support-chat/sdk';
import { Button } from '../../parts/button.js';
import { Confirmation } from '../../parts/confirmation.js';
import { Empty } from '../../parts/empty.js';
import { PageList } from '../../parts/page-list.js';
import { Row } from '../../parts/row.js';
import { toasts } from '../../parts/toasts.js';
import { usePages } from '../../parts/use-pages.js';
import { useSession } from '../../session-context.js';
import { accessOf } from '../access.js';
import { describe } from '../errors.js';
import { Screen } from '../screen.js';
import { RenameDialog } from './rename-dialog.js';
import { SearchField } from './search-field.js';
import { t } from './texts/index.js';

type Open = { kind: 'rename' | 'delete'; tag: TagView };

/** Tags of the workspace. Owners and admins rename and delete them. */
export default function Tags() {
  const { agent, me } = useSession();
  const { isAdmin } = accessOf(me);
  const [query, setQuery] = useState('');
  const [open, setOpen] = useState<Open>();
  const tags = usePages(next => agent.tags.list({ ...(query !== '' && { query }), ...next }), query);
  const isEmpty = tags.items?.length === 0 && query === '';
  const close = () => setOpen(undefined);
  return (
    <Screen title={t('tags')} intro={t('tagsIntro')} isReadOnly={!isAdmin}>
      {!isEmpty && <SearchField onSearch={setQuery} />}
      <PageList
        pages={tags}
        label={t('tags')}
        empty={
          query === '' ? (
            <Empty title={t('noTags')} text={t('noTagsText')} />
          ) : (
            <Empty title={t('nothingFound')} text={t('nothingFoundText', { text: query })} />
          )
        }
      >
        {tag => (
          <Row key={tag.name} title={tag.name} facts={[t('openWith', { count: tag.count })]}>
            {isAdmin &&
              (['rename', 'delete'] as const).map(kind => (
                <Button
                  key={kind}
                  look="quiet"
                  isSmall
                  name={t('of', { action: t(kind), name: tag.name })}
                  onClick={() => setOpen({ kind, tag })}
                >
                  {t(kind)}
                </Button>
              ))}
          </Row>
        )}
      </PageList>
      {open?.kind === 'rename' && (
        <RenameDialog
          name={open.tag.name}
          hint={t('tagNameHint')}
          fault="tagInvalid"
          field="to"
          onRename={async to => {
            await agent.tags.rename(open.tag.name, to);
            await tags.reload();
          }}
          onClose={close}
        />
      )}
      {open?.kind === 'delete' && (
        <Confirmation
          title={t('deleteTitle', { name: open.tag.name })}
          action={t('delete')}
          describe={describe}
          typedName={open.tag.name}
          onConfirm={async () => {
            const { name } = open.tag;
            await agent.tags.delete(name);
            tags.update(items => items.filter(tag => tag.name !== name));
            toasts.show({ kind: 'done', text: t('deleted', { name }) });
          }}
          onClose={close}
        >
          <p>{t('deleteTagText')}</p>
        </Confirmation>
      )}
    </Screen>
  );
}
