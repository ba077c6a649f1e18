import { useState } from 'preact/hooks';
import { items, type ViewView } from '@support-chat/sdk';
import { Confirmation } from '../../parts/confirmation.js';
import { LoadFailure } from '../../parts/page-list.js';
import { Skeleton } from '../../parts/skeleton.js';
import { toasts } from '../../parts/toasts.js';
import { useLoaded } from '../../parts/use-loaded.js';
import { useSession } from '../../session-context.js';
import { accessOf } from '../access.js';
import { describe } from '../errors.js';
import { Screen } from '../screen.js';
import { RenameDialog } from './rename-dialog.js';
import { t } from './texts/index.js';
import { ViewList, type ViewAction } from './view-list.js';

/** Saved filters of the inbox: those of the member, and the shared ones, which admins change. */
export default function Views() {
  const { agent, me } = useSession();
  const { isAdmin } = accessOf(me);
  const {
    value: views,
    error,
    reload,
    set,
  } = useLoaded(async () => {
    const all: ViewView[] = [];
    for await (const view of items(next => agent.views.list({ limit: 200, ...next }))) all.push(view);
    return all;
  });
  const [open, setOpen] = useState<{ action: ViewAction; view: ViewView }>();
  const close = () => setOpen(undefined);
  const setShared = async (view: ViewView, shared: boolean) => {
    await agent.views.update(view.id, { shared });
    await reload();
    toasts.show({ kind: 'done', text: t(shared ? 'isShared' : 'isOwn', { name: view.name }) });
  };
  const attempt = (work: Promise<void>) =>
    void work.catch((failure: unknown) => toasts.show({ kind: 'failed', text: describe(failure) }));
  /** The order is shown at once. */
  const arrange = async (order: readonly ViewView[]) => {
    const moved = order.map((view, position) => ({ ...view, position }));
    const before = new Map(views?.map(view => [view.id, view.position]));
    set([...(views ?? []).filter(view => !order.some(({ id }) => id === view.id)), ...moved]);
    try {
      const changed = moved.filter(({ id, position }) => before.get(id) !== position);
      await Promise.all(changed.map(({ id, position }) => agent.views.update(id, { position })));
    } catch (failure) {
      await reload();
      throw failure;
    }
  };
  const start = (action: ViewAction, view: ViewView) => {
    if (action === 'share') attempt(setShared(view, true));
    else setOpen({ action, view });
  };
  const list = (isShared: boolean) => (
    <ViewList
      isShared={isShared}
      canChange={isAdmin || !isShared}
      canShare={isAdmin}
      views={(views ?? []).filter(({ shared }) => shared === isShared)}
      onArrange={order => attempt(arrange(order))}
      onAction={start}
    />
  );
  return (
    <Screen title={t('views')} intro={t('viewsIntro')}>
      {!views && error === undefined && <Skeleton />}
      {!views && error !== undefined && <LoadFailure error={error} onRetry={() => void reload()} />}
      {views && (
        <>
          {list(true)}
          {list(false)}
        </>
      )}
      {open?.action === 'rename' && (
        <RenameDialog
          name={open.view.name}
          fault="nameInvalid"
          field="name"
          onRename={async name => {
            await agent.views.update(open.view.id, { name });
            await reload();
          }}
          onClose={close}
        />
      )}
      {open?.action === 'unshare' && (
        <Confirmation
          title={t('shareTitle', { name: open.view.name })}
          action={t('unshare')}
          describe={describe}
          onConfirm={() => setShared(open.view, false)}
          onClose={close}
        >
          <p>{t('shareText')}</p>
        </Confirmation>
      )}
      {open?.action === 'delete' && (
        <Confirmation
          title={t('deleteTitle', { name: open.view.name })}
          action={t('delete')}
          describe={describe}
          onConfirm={async () => {
            await agent.views.delete(open.view.id);
            await reload();
            toasts.show({ kind: 'done', text: t('deleted', { name: open.view.name }) });
          }}
          onClose={close}
        >
          <p>{t('deleteViewText')}</p>
        </Confirmation>
      )}
    </Screen>
  );
}
