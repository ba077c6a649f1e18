import type { ConversationsReportView } from '@support-chat/sdk';
import { useMemo } from 'preact/hooks';
import { useSession } from '../session-context.js';
import { Card } from './card.js';
import { botCard, messagesCard, ratingCard, speedCard, volumeCard } from './overview-cards.js';
import { RatingScores } from './rating-scores.js';
import { ReportPage } from './report-page.js';
import { useFilters } from './use-filters.js';
import { useReport } from './use-report.js';

/** One card for each question about the conversations of a time. */
export function Overview() {
  const { agent } = useSession();
  const [filters] = useFilters();
  const report = useReport('conversations', filters, query => agent.reports.conversations(query));
  return (
    <ReportPage kind="conversations" title="overviewTitle" report={report}>
      {data => <Cards report={data} isBusiness={filters.isBusiness === true} />}
    </ReportPage>
  );
}

function Cards({ report, isBusiness }: { report: ConversationsReportView; isBusiness: boolean }) {
  // a chart is drawn again only when its figures change
  const [volume, response, resolution, rating, bots, messages] = useMemo(
    () => [
      volumeCard(report),
      speedCard(report, 'response', isBusiness),
      speedCard(report, 'resolution', isBusiness),
      ratingCard(report),
      botCard(report),
      messagesCard(report),
    ],
    [report, isBusiness],
  );
  return (
    <div class="cards">
      <Card {...volume!} />
      <Card {...response!} />
      <Card {...resolution!} />
      <Card {...rating!}>
        <RatingScores scores={report.totals.csat.scores} />
      </Card>
      <Card {...bots!} />
      <Card {...messages!} />
    </div>
  );
}
