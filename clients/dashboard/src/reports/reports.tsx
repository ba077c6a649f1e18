import { useEffect, useRef } from 'preact/hooks';
import { Link, Route, Switch, useLocation, useSearch } from 'wouter-preact';
import { LazyArea, type AreaLoader } from '../lazy-area.js';
import { NotFound } from '../not-found.js';
import { useSession } from '../session-context.js';
import { Breakdown } from './breakdown.js';
import { seesWholeWorkspace } from './figures.js';
import { LiveBoard } from './live/live-board.js';
import { Overview } from './overview.js';
import 'uplot/dist/uPlot.min.css';
import './reports.css';
import { t } from './texts/index.js';

const loadAuditLog: AreaLoader = () => import('./audit/audit-log.js');

const SCREENS = [
  { path: '/reports', name: 'overview', hasFilters: true },
  { path: '/reports/members', name: 'members', hasFilters: true },
  { path: '/reports/channels', name: 'channels', hasFilters: true },
  { path: '/reports/tags', name: 'tags', hasFilters: true },
  { path: '/reports/live', name: 'live', hasFilters: false },
] as const;
const AUDIT_LOG = { path: '/reports/audit', name: 'audit', hasFilters: false } as const;

/** The reports, each at its own address below `/reports`. */
export default function Reports() {
  const { me } = useSession();
  return (
    <div class="reports">
      <Navigation hasAuditLog={seesWholeWorkspace(me)} />
      <Switch>
        <Route path="/reports">
          <Overview />
        </Route>
        <Route path="/reports/members">
          <Breakdown key="members" kind="members" />
        </Route>
        <Route path="/reports/channels">
          <Breakdown key="channels" kind="channels" />
        </Route>
        <Route path="/reports/tags">
          <Breakdown key="tags" kind="tags" />
        </Route>
        <Route path="/reports/live">
          <LiveBoard />
        </Route>
        {seesWholeWorkspace(me) && (
          <Route path="/reports/audit">
            <LazyArea load={loadAuditLog} />
          </Route>
        )}
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </div>
  );
}

/** Filters stay when another report is opened. */
function Navigation({ hasAuditLog }: { hasAuditLog: boolean }) {
  const [location] = useLocation();
  const search = useSearch();
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    box.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [location]);
  const isFiltered = SCREENS.some(({ path, hasFilters }) => path === location && hasFilters);
  return (
    <nav class="report-screens" aria-label={t('screens')} ref={box}>
      {[...SCREENS, ...(hasAuditLog ? [AUDIT_LOG] : [])].map(({ path, name, hasFilters }) => (
        <Link
          key={path}
          href={hasFilters && isFiltered && search ? `${path}?${search}` : path}
          aria-current={location === path ? 'page' : undefined}
        >
          {t(name)}
        </Link>
      ))}
    </nav>
  );
}
