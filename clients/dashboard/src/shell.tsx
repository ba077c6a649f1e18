import { useEffect } from 'preact/hooks';
import { AccountMenu } from './account-menu.js';
import type { SignedInSession } from './entrance/entrance-state.js';
import { t } from './texts/index.js';

/** The frame of the dashboard for a signed-in member: header, menu and main area. */
export function Shell({ session }: { session: SignedInSession }) {
  const { member, workspace, scope } = session.me;
  useEffect(() => {
    document.title = `${workspace.name} · ${t('product')}`;
  }, [workspace.name]);
  return (
    <div class="shell">
      <header>
        <strong class="workspace">{workspace.name}</strong>
        {scope.channel_ids && <span class="scope">{t('limitedTo', { count: scope.channel_ids.length })}</span>}
        <AccountMenu session={session} />
      </header>
      <main>
        <h1>{t('mainEmpty', { name: member.name })}</h1>
        <p>{t('mainEmptyNext', { workspace: workspace.name })}</p>
      </main>
    </div>
  );
}
