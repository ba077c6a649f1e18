import { useEffect } from 'preact/hooks';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter-preact';
import { AccountMenu } from './account-menu.js';
import type { SignedInSession } from './entrance/entrance-state.js';
import { LazyArea, type AreaLoader } from './lazy-area.js';
import { NotFound } from './not-found.js';
import { SessionContext } from './session-context.js';
import { t } from './texts/index.js';

const loadSettings: AreaLoader = () => import('./settings/settings.js');
const loadReports: AreaLoader = () => import('./reports/reports.js');

const AREAS = [
  { path: '/inbox', name: 'inbox' },
  { path: '/reports', name: 'reports' },
  { path: '/settings', name: 'settings' },
] as const;

/** The frame of the dashboard for a signed-in member: header, navigation and main area. */
export function Shell({ session }: { session: SignedInSession }) {
  const { workspace, scope } = session.me;
  useEffect(() => {
    document.title = `${workspace.name} · ${t('product')}`;
  }, [workspace.name]);
  return (
    <SessionContext.Provider value={session}>
      <div class="shell">
        <a class="skip" href="#main" onClick={focusMain}>
          {t('skip')}
        </a>
        <header>
          <strong class="workspace">{workspace.name}</strong>
          {scope.channel_ids && <span class="scope">{t('limitedTo', { count: scope.channel_ids.length })}</span>}
          <Navigation />
          <AccountMenu session={session} />
        </header>
        <main id="main" tabIndex={-1}>
          <Switch>
            <Route path="/">
              <Redirect to="/inbox" replace />
            </Route>
            <Route path="/inbox/*?">
              <h1>{t('inbox')}</h1>
            </Route>
            <Route path="/reports/*?">
              <LazyArea load={loadReports} />
            </Route>
            <Route path="/settings/*?">
              <LazyArea load={loadSettings} />
            </Route>
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </main>
      </div>
    </SessionContext.Provider>
  );
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
