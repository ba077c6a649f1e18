import { items, type AuditEntryView, type ListAuditLogQuery } from '@support-chat/sdk';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import { Banner } from '../../parts/banner.js';
import { Button } from '../../parts/button.js';
import { Select, type SelectGroup } from '../../parts/select.js';
import { Skeleton } from '../../parts/skeleton.js';
import { useLoaded } from '../../parts/use-loaded.js';
import { useSession } from '../../session-context.js';
import { DayField } from '../controls.js';
import { failureText } from '../failure-text.js';
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
  const actors = useLoaded(async () => {
    const members: { id: string; name: string }[] = [];
    const keys: { id: string; name: string }[] = [];
    for await (const { id, name } of items(next => agent.members.list({ limit: 200, ...next }))) {
      members.push({ id, name });
    }
    for await (const { id, name } of items(next => agent.apiKeys.list({ limit: 200, ...next })))
      keys.push({ id, name });
    return { members, keys };
  });
  const { members = [], keys = [] } = actors.value ?? {};
  const isKnown = [...members, ...keys].some(({ id }) => id === filters.actor);
  const group = (name: string, found: { id: string; name: string }[]) =>
    found.length > 0 ? [{ name, options: found.map(({ id: value, name: title }) => ({ value, name: title })) }] : [];
  return (
    <form class="filters" aria-label={t('filters')} onSubmit={event => event.preventDefault()}>
      <Select
        label={t('action')}
        value={filters.action ?? ''}
        options={[{ value: '', name: t('allActions') }, ...(Object.keys(ACTIONS) as AuditKind[]).map(actionsOf)]}
        onChange={action => change({ action: action || undefined })}
      />
      <Select
        label={t('actor')}
        value={filters.actor ?? ''}
        options={[
          { value: '', name: t('allActors') },
          ...group(t('members'), members),
          ...group(t('keys'), keys),
          ...(filters.actor && !isKnown ? [{ value: filters.actor, name: t('unknownActor') }] : []),
        ]}
        onChange={actor => change({ actor: actor || undefined })}
      />
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
      {actors.error !== undefined && (
        <p class="fault" role="status">
          {t('actorsFailed', { reason: failureText(actors.error) })}
        </p>
      )}
    </form>
  );
}

function actionsOf(kind: AuditKind): SelectGroup<string> {
  const all = { value: `${kind}.*`, name: t('allOfKind', { kind: kindText(kind) }) };
  const single = ACTIONS[kind].map(action => `${kind}.${action}` as const);
  return { name: kindText(kind), options: [all, ...single.map(value => ({ value, name: actionText(value) }))] };
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
