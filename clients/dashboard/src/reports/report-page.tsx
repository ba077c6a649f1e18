import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { Banner } from '../parts/banner.js';
import { Button } from '../parts/button.js';
import { Skeleton } from '../parts/skeleton.js';
import { useSession } from '../session-context.js';
import { CsvButton } from './csv-button.js';
import { failureText } from './failure-text.js';
import { FilterBar } from './filter-bar.js';
import { isEmpty, seesWholeWorkspace, type Figures, type ReportKind } from './figures.js';
import { t, type ReportTextKey } from './texts/index.js';
import { useFilters } from './use-filters.js';
import type { UsedReport } from './use-report.js';

export interface ReportPageProps<Report> {
  kind: ReportKind;
  title: ReportTextKey;
  report: UsedReport<Report>;
  children: (report: Report) => ComponentChildren;
}

/** Heading, filters and download of a report, and its figures once they are there. */
export function ReportPage<Report extends { totals: Figures; items: unknown[] }>(props: ReportPageProps<Report>) {
  const { kind, title, report, children } = props;
  const { value: data, error, fault, isLoading, period, query, reload } = report;
  return (
    <section class="report" aria-labelledby="report-title">
      <div class="report-head">
        <h1 id="report-title">{t(title)}</h1>
        <CsvButton kind={kind} query={query} />
      </div>
      <FilterBar kind={kind} period={period} fault={fault} />
      <div class="report-body" aria-busy={isLoading}>
        {error !== undefined && (
          <div class="report-failure">
            <Banner kind="danger">{failureText(error)}</Banner>
            <Button look="quiet" onClick={() => void reload()}>
              {t('retry')}
            </Button>
          </div>
        )}
        {!data && isLoading && <Skeleton lines={9} />}
        {data && !fault && (isEmpty(data.totals) ? <Nothing /> : children(data))}
      </div>
    </section>
  );
}

/** A time without any figure: names what appears here, and the one next step. */
function Nothing() {
  const [filters, change] = useFilters();
  const { me } = useSession();
  const isFiltered = Boolean(filters.channel ?? filters.member);
  const isLong = filters.range === '90' && !isFiltered;
  return (
    <div class="nothing">
      <h2>{t('nothingTitle')}</h2>
      <p>{t('nothing')}</p>
      {!isLong && (
        <Button look="quiet" onClick={() => change({ range: '90', channel: undefined, member: undefined })}>
          {t(isFiltered ? 'nothingUnfilter' : 'nothingLonger')}
        </Button>
      )}
      {isLong && seesWholeWorkspace(me) && <Link href="/settings">{t('nothingSettings')}</Link>}
      {isLong && !seesWholeWorkspace(me) && <Link href="/inbox">{t('nothingInbox')}</Link>}
    </div>
  );
}
