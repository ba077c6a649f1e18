import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter-preact';
import { AccountMenu } from './account-menu.js';
import { conversationPath } from './conversation-path.js';
import { Desk } from './desk/desk.js';
import { DeskContext } from './desk/desk-context.js';
import type { SignedInSession } from './entrance/entrance-state.js';
import { formDrafts } from './forms/form-drafts.js';
import { LazyArea, type AreaLoader } from './lazy-area.js';
import { NotFound } from './not-found.js';
import { Bell } from './notices/bell.js';
import { useAttention } from './notices/use-attention.js';
import { Banner } from './parts/banner.js';
import { ToastList } from './parts/toast-list.js';
import { SessionContext } from './session-context.js';
import { t } from './texts/index.js';

const loadInbox: AreaLoader = () => import('./inbox/inbox.js');
const loadReports: AreaLoader = () => import('./reports/reports.js');
const loadSettings: AreaLoader = () => import('./settings/settings.js');

const SHORT_INTERRUPTION_MS = 2_000;

const AREAS = [
  { path: '/inbox', name: 'inbox' },
  { path: '/reports', name: 'reports' },
  { path: '/settings', name: 'settings' },
] as const;

/** The frame of the dashboard for a signed-in member: header, navigation and main area. */
export function Shell({ session }: { session: SignedInSession }) {
  const { workspace, scope } = session.me;
  // a changed profile is another session object with the same client
  const desk = useMemo(() => new Desk(session), [session.agent]);
  useEffect(() => {
    desk.open();
    return () => desk.close();
  }, [desk]);
  useEffect(() => desk.follow(session), [desk, session]);
  const onShown = useCallback(() => desk.showArea(), [desk]);
  useAttention(workspace.name, desk.wanting.value);
  const leave = () => {
    desk.forget();
    formDrafts.clear();
    session.signOut();
  };
  return (
    <SessionContext.Provider value={session}>
      <DeskContext.Provider value={desk}>
        <div class="shell">
          <a class="skip" href="#main" onClick={focusMain}>
            {t('skip')}
          </a>
          <header>
            <strong class="workspace">{workspace.name}</strong>
            {scope.channel_ids && <span class="scope">{t('limitedTo', { count: scope.channel_ids.length })}</span>}
            <Navigation />
            <Bell desk={desk} />
            <AccountMenu session={session} onSignOut={leave} />
          </header>
          <Interruption desk={desk} />
          <main id="main" tabIndex={-1}>
            <Switch>
              <Route path="/">
                <Redirect to={firstPath()} replace />
              </Route>
              <Route path="/inbox/*?">
                <LazyArea key="inbox" load={loadInbox} onShown={onShown} />
              </Route>
              <Route path="/reports/*?">
                <LazyArea key="reports" load={loadReports} onShown={onShown} />
              </Route>
              <Route path="/settings/*?">
                <LazyArea key="settings" load={loadSettings} onShown={onShown} />
              </Route>
              <Route>
                <NotFound />
              </Route>
            </Switch>
          </main>
          <ToastList />
        </div>
      </DeskContext.Provider>
    </SessionContext.Provider>
  );
}

/** Tells that what is shown may be old. A short interruption is not worth a sentence. */
function Interruption({ desk }: { desk: Desk }) {
  const connection = desk.connection.value;
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    setShown(false);
    if (connection !== 'interrupted' && connection !== 'ended') return;
    const timer = setTimeout(() => setShown(true), SHORT_INTERRUPTION_MS);
    return () => clearTimeout(timer);
  }, [connection]);
  if (!isShown) return null;
  return <Banner kind="info">{t(connection === 'ended' ? 'ended' : 'interrupted')}</Banner>;
}

/** Mails link to a conversation by the fragment. */
function firstPath(): string {
  const id = /^#conversation=([\w-]+)$/.exec(location.hash)?.[1];
  return id === undefined ? '/inbox' : conversationPath(id);
}

function Navigation() {
  const [location] = useLocation();
  return (
    <nav class="areas" aria-label={t('areas')}>
      {AREAS.map(({ path, name }) => (
        <Link key={path} href={path} aria-current={location.startsWith(path) ? 'page' : undefined}>
          {t(name)}
        </Link>
      ))}
    </nav>
  );
}

/** Does not change the address, whose fragment may name something else. */
function focusMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
