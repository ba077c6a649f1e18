import { items, type AuditEntryView, type ListAuditLogQuery } from '@support-chat/sdk';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import { Banner } from '../../parts/banner.js';
import { Button } from '../../parts/button.js';
import { Skeleton } from '../../parts/skeleton.js';
import { useSession } from '../../session-context.js';
import { DayField, Select } from '../controls.js';
import { failureText } from '../failure-text.js';
import { useLoaded } from '../use-loaded.js';
import { actionText, ACTIONS, kindText, type AuditKind } from './actions.js';
import { AuditEntry } from './audit-entry.js';
import { queryOf, readAuditFilters, writeAuditFilters, type AuditFilters } from './audit-filters.js';
import { t } from './texts/index.js';

const PAGE_SIZE = 50;

/** The administrative changes of the workspace, newest first. */
export default function AuditLog() {
  const { timezone } = useSession().me.workspace;
  const search = useSearch();
  const [location, navigate] = useLocation();
  const filters = useMemo(() => readAuditFilters(search), [search]);
  const query = useMemo(() => queryOf(filters, timezone), [filters, timezone]);
  const change = (changes: Partial<AuditFilters>) => navigate(location + writeAuditFilters({ ...filters, ...changes }));
  return (
    <section class="report" aria-labelledby="audit-title">
      <div class="report-head">
        <h1 id="audit-title">{t('title')}</h1>
      </div>
      <p class="hint">{t('intro')}</p>
      <Filters filters={filters} change={change} />
      <Entries query={query} isFiltered={search !== ''} onClear={() => navigate(location)} />
    </section>
  );
}

interface FiltersProps {
  filters: AuditFilters;
  change: (changes: Partial<AuditFilters>) => void;
}

function Filters({ filters, change }: FiltersProps) {
  const { agent } = useSession();
  const actors = useLoaded('actors', async () => {
    const members: { id: string; name: string }[] = [];
    const keys: { id: string; name: string }[] = [];
    for await (const { id, name } of items(next => agent.members.list({ limit: 200, ...next }))) {
      members.push({ id, name });
    }
    for await (const { id, name } of items(next => agent.apiKeys.list({ limit: 200, ...next })))
      keys.push({ id, name });
    return { members, keys };
  });
  const { members = [], keys = [] } = actors.data ?? {};
  const isKnown = [...members, ...keys].some(({ id }) => id === filters.actor);
  const group = (label: string, found: { id: string; name: string }[]) =>
    found.length > 0 && (
      <optgroup label={label}>
        {found.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </optgroup>
    );
  return (
    <form class="filters" aria-label={t('filters')} onSubmit={event => event.preventDefault()}>
      <Select
        label={t('action')}
        value={filters.action ?? ''}
        onChange={action => change({ action: action || undefined })}
      >
        <option value="">{t('allActions')}</option>
        {(Object.keys(ACTIONS) as AuditKind[]).map(kind => (
          <optgroup key={kind} label={kindText(kind)}>
            <option value={`${kind}.*`}>{t('allOfKind', { kind: kindText(kind) })}</option>
            {ACTIONS[kind].map(action => (
              <option key={action} value={`${kind}.${action}`}>
                {actionText(`${kind}.${action}`)}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
      <Select label={t('actor')} value={filters.actor ?? ''} onChange={actor => change({ actor: actor || undefined })}>
        <option value="">{t('allActors')}</option>
        {group(t('members'), members)}
        {group(t('keys'), keys)}
        {filters.actor && !isKnown && <option value={filters.actor}>{t('unknownActor')}</option>}
      </Select>
      <DayField
        label={t('from')}
        value={filters.from ?? ''}
        max={filters.to}
        onChange={from => change({ from: from || undefined })}
      />
      <DayField
        label={t('to')}
        value={filters.to ?? ''}
        min={filters.from}
        onChange={to => change({ to: to || undefined })}
      />
      {actors.failure !== undefined && (
        <p class="fault" role="status">
          {t('actorsFailed', { reason: failureText(actors.failure) })}
        </p>
      )}
    </form>
  );
}

interface EntriesProps {
  query: ListAuditLogQuery;
  isFiltered: boolean;
  onClear: () => void;
}

function Entries({ query, isFiltered, onClear }: EntriesProps) {
  const { entries, isLoading, hasMore, failure, loadMore } = useEntries(query);
  return (
    <div aria-busy={isLoading}>
      {entries.length > 0 && (
        <ol class="audit">
          {entries.map(entry => (
            <AuditEntry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
      {failure !== undefined && <Banner kind="danger">{failureText(failure)}</Banner>}
      {isLoading && entries.length === 0 && <Skeleton lines={9} />}
      {!isLoading && failure === undefined && entries.length === 0 && (
        <div class="nothing">
          <p>{t(isFiltered ? 'nothingFound' : 'nothing')}</p>
          {isFiltered && (
            <Button look="quiet" onClick={onClear}>
              {t('clear')}
            </Button>
          )}
        </div>
      )}
      {(hasMore || failure !== undefined) && (entries.length > 0 || failure !== undefined) && (
        <div class="more">
          <Button look="quiet" isWaiting={isLoading} onClick={loadMore}>
            {t(failure === undefined ? 'older' : 'retry')}
          </Button>
        </div>
      )}
    </div>
  );
}

interface EntriesState {
  entries: AuditEntryView[];
  /** Undefined before the first page; null after the last one. */
  cursor?: string | null;
  isLoading: boolean;
  failure?: unknown;
}

/** Loads pages of the log. Pages for an earlier query are ignored. */
function useEntries(query: ListAuditLogQuery) {
  const { agent } = useSession();
  const [state, setState] = useState<EntriesState>({ entries: [], isLoading: true });
  const latest = useRef(0);
  const load = (loaded: EntriesState) => {
    const attempt = ++latest.current;
    const { entries, cursor } = loaded;
    setState({ ...loaded, isLoading: true, failure: undefined });
    agent.workspace.auditLog({ ...query, limit: PAGE_SIZE, ...(cursor && { cursor }) }).then(
      page => {
        if (attempt !== latest.current) return;
        setState({ entries: [...entries, ...page.items], cursor: page.next_cursor, isLoading: false });
      },
      (failure: unknown) => {
        if (attempt === latest.current) setState({ ...loaded, isLoading: false, failure });
      },
    );
  };
  useEffect(() => {
    load({ entries: [], isLoading: true });
    return () => {
      latest.current++;
    };
  }, [query]);
  return { ...state, hasMore: typeof state.cursor === 'string', loadMore: () => load(state) };
}
