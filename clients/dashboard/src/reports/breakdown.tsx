import type { ReportQuery } from '@support-chat/sdk';
import { useState } from 'preact/hooks';
import { useSession } from '../session-context.js';
import { columnsOf, sortRows, type Column, type Row } from './columns.js';
import { Definition } from './definition.js';
import { NONE } from './format.js';
import type { Figures } from './figures.js';
import { ReportPage } from './report-page.js';
import { t } from './texts/index.js';
import { useFilters } from './use-filters.js';
import { useReport } from './use-report.js';

type Kind = 'members' | 'channels' | 'tags';
interface Rows {
  totals: Figures;
  items: Row[];
}

const TITLES = { members: 'membersTitle', channels: 'channelsTitle', tags: 'tagsTitle' } as const;
const HEADS = { members: 'member', channels: 'channel', tags: 'tag' } as const;

/** A table with a row for each member, channel or tag, which can be sorted by each column. */
export function Breakdown({ kind }: { kind: Kind }) {
  const { agent } = useSession();
  const [filters] = useFilters();
  const load = async (query: ReportQuery): Promise<Rows> => {
    if (kind === 'members') {
      const { totals, items } = await agent.reports.members(query);
      return { totals, items: items.map(item => ({ id: item.member_id, name: item.name, figures: item })) };
    }
    if (kind === 'channels') {
      const { totals, items } = await agent.reports.channels(query);
      return { totals, items: items.map(item => ({ id: item.channel_id, name: item.name, figures: item })) };
    }
    const { totals, items } = await agent.reports.tags(query);
    return { totals, items: items.map(item => ({ id: item.tag, name: item.tag, figures: item })) };
  };
  const report = useReport(kind, filters, load);
  return (
    <ReportPage kind={kind} title={TITLES[kind]} report={report}>
      {({ totals, items }) => (
        <FiguresTable kind={kind} totals={totals} rows={items} columns={columnsOf(kind, filters.isBusiness === true)} />
      )}
    </ReportPage>
  );
}

interface TableProps {
  kind: Kind;
  totals: Figures;
  rows: Row[];
  columns: Column[];
}

function FiguresTable({ kind, totals, rows, columns }: TableProps) {
  const [sorting, setSorting] = useState<{ column: string; isAscending: boolean }>();
  const sorted = sorting?.column ?? columns[0]!.name;
  const isAscending = sorting?.isAscending ?? false;
  const sortBy = (column: string) =>
    setSorting({ column, isAscending: column === sorted ? !isAscending : column === 'name' });
  const head = (name: string, title: string, definition?: string) => (
    <th key={name} scope="col" aria-sort={sorted === name ? (isAscending ? 'ascending' : 'descending') : undefined}>
      <button type="button" class="sort" onClick={() => sortBy(name)}>
        {title}
        <span aria-hidden="true">{sorted === name ? (isAscending ? ' ↑' : ' ↓') : ''}</span>
      </button>
      {definition && <Definition of={title}>{definition}</Definition>}
    </th>
  );
  return (
    <div class="table-box wide" role="region" aria-label={t('tableOf', { name: t(kind) })} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head('name', t(HEADS[kind]))}
            {columns.map(({ name, title, definition }) => head(name, title, definition))}
          </tr>
        </thead>
        <tbody>
          {sortRows(rows, columns, sorted, isAscending).map(({ id, name, figures }) => (
            <tr key={id}>
              <th scope="row" dir="auto">
                {name}
              </th>
              {columns.map(column => (
                <td key={column.name}>{column.format(figures)}</td>
              ))}
            </tr>
          ))}
          {rows.length === 0 && (
            <tr>
              <td colSpan={columns.length + 1}>{t(kind === 'tags' ? 'noTags' : 'noRows')}</td>
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t(kind === 'tags' ? 'allConversations' : 'total')}</th>
            {columns.map(column => (
              <td key={column.name}>{column.format(totals) || NONE}</td>
            ))}
          </tr>
        </tfoot>
      </table>
      {kind === 'tags' && <p class="hint">{t('tagsHint')}</p>}
    </div>
  );
}
