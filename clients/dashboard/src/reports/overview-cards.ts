import type { ConversationsReportView } from '@support-chat/sdk';
import { axisLabels, bucketLabels } from './bucket-labels.js';
import type { CardProps } from './card.js';
import { formatCount, formatDuration, formatRating, formatShare, NONE } from './format.js';
import type { DurationFigures, Figures } from './figures.js';
import { formats, t } from './texts/index.js';

type Report = ConversationsReportView;
type Card = Omit<CardProps, 'children'>;
type Column = [name: string, cell: (item: Figures) => string];

/** Seconds between the marks of an axis of durations. */
const DURATION_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800, 432_000,
  864_000, 2_592_000, 8_640_000, 31_536_000,
];
const COUNT_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7];

const countOrGap = (value: number | null) => (value === null ? NONE : formatCount(value));

export function volumeCard(report: Report): Card {
  const { created, resolved, reopened } = report.totals;
  return {
    question: t('volume'),
    definition: t('volumeDefinition'),
    figure: formatCount(created),
    unit: t('started', { count: created }),
    facts: [
      { name: t('resolved'), value: formatCount(resolved) },
      { name: t('reopened'), value: formatCount(reopened) },
    ],
    chart: {
      ...labelsOf(report),
      look: 'bars',
      series: [
        { name: t('created'), values: report.items.map(item => item.created) },
        { name: t('resolved'), values: report.items.map(item => item.resolved) },
      ],
      format: countOrGap,
      steps: COUNT_STEPS,
    },
    table: tableOf(report, [
      [t('created'), item => formatCount(item.created)],
      [t('resolved'), item => formatCount(item.resolved)],
      [t('reopened'), item => formatCount(item.reopened)],
    ]),
  };
}

/** First responses or resolutions. The median answers: one forgotten conversation moves a mean by days. */
export function speedCard(report: Report, what: 'response' | 'resolution', isBusiness: boolean): Card {
  const read = (item: Figures): DurationFigures => {
    if (what === 'response') return isBusiness ? item.first_response_business : item.first_response;
    return isBusiness ? item.resolution_business : item.resolution;
  };
  const { count, mean, p50, p90 } = read(report.totals);
  return {
    question: t(what),
    definition: `${t(what === 'response' ? 'responseDefinition' : 'resolutionDefinition')} ${t(isBusiness ? 'inBusinessHours' : 'atAllHours')} ${t('medianDefinition')}`,
    figure: formatDuration(p50),
    unit: t(isBusiness ? 'medianBusiness' : 'median'),
    facts: [
      { name: t('p90'), value: formatDuration(p90) },
      { name: t('mean'), value: formatDuration(mean) },
      { name: t(what === 'response' ? 'responses' : 'resolutions'), value: formatCount(count) },
    ],
    chart: {
      ...labelsOf(report),
      look: 'line',
      series: [{ name: t('median'), values: report.items.map(item => read(item).p50) }],
      format: formatDuration,
      steps: DURATION_STEPS,
    },
    table: tableOf(report, [
      [t('median'), item => formatDuration(read(item).p50)],
      [t('p90'), item => formatDuration(read(item).p90)],
      [t('mean'), item => formatDuration(read(item).mean)],
      [t(what === 'response' ? 'responses' : 'resolutions'), item => formatCount(read(item).count)],
    ]),
  };
}

export function ratingCard(report: Report): Card {
  const { mean, count, scores } = report.totals.csat;
  const good = (scores[3] ?? 0) + (scores[4] ?? 0);
  return {
    question: t('rating'),
    definition: t('ratingDefinition'),
    figure: formatRating(mean),
    unit: t('ofFive'),
    facts: [
      { name: t('good'), value: formatShare(good, count) },
      { name: t('ratings'), value: formatCount(count) },
    ],
    chart: {
      ...labelsOf(report),
      look: 'line',
      series: [{ name: t('ratingMean'), values: report.items.map(item => item.csat.mean) }],
      format: formatRating,
      steps: [1, 2],
      limits: [0.8, 5.2],
    },
    table: tableOf(report, [
      [t('ratingMean'), item => formatRating(item.csat.mean)],
      [t('ratings'), item => formatCount(item.csat.count)],
    ]),
  };
}

export function botCard(report: Report): Card {
  const { bot_resolved: byBots, resolved, bot_messages: messages } = report.totals;
  return {
    question: t('bots'),
    definition: t('botsDefinition'),
    figure: formatShare(byBots, resolved),
    unit: t('botShare'),
    facts: [
      { name: t('botResolved'), value: formatCount(byBots) },
      { name: t('botMessages'), value: formatCount(messages) },
    ],
    chart: {
      ...labelsOf(report),
      look: 'bars',
      series: [{ name: t('botResolved'), values: report.items.map(item => item.bot_resolved) }],
      format: countOrGap,
      steps: COUNT_STEPS,
    },
    table: tableOf(report, [
      [t('botResolved'), item => formatCount(item.bot_resolved)],
      [t('resolved'), item => formatCount(item.resolved)],
      [t('botMessages'), item => formatCount(item.bot_messages)],
    ]),
  };
}

export function messagesCard(report: Report): Card {
  const { messages_in: fromContacts, messages_out: fromMembers, created } = report.totals;
  const all = fromContacts + fromMembers;
  return {
    question: t('messages'),
    definition: t('messagesDefinition'),
    figure: formatCount(all),
    unit: t('messagesUnit', { count: all }),
    facts: [
      { name: t('messagesIn'), value: formatCount(fromContacts) },
      { name: t('messagesOut'), value: formatCount(fromMembers) },
      { name: t('perConversation'), value: created === 0 ? NONE : formatRating(all / created) },
    ],
    chart: {
      ...labelsOf(report),
      look: 'bars',
      series: [
        { name: t('messagesIn'), values: report.items.map(item => item.messages_in) },
        { name: t('messagesOut'), values: report.items.map(item => item.messages_out) },
      ],
      format: countOrGap,
      steps: COUNT_STEPS,
    },
    table: tableOf(report, [
      [t('messagesIn'), item => formatCount(item.messages_in)],
      [t('messagesOut'), item => formatCount(item.messages_out)],
      [t('botMessages'), item => formatCount(item.bot_messages)],
    ]),
  };
}

function labelsOf({ items, interval, timezone }: Report): { labels: string[]; axis: string[] } {
  const times = items.map(({ at }) => at);
  const { locale } = formats();
  return {
    labels: bucketLabels(times, interval, timezone, locale),
    axis: axisLabels(times, interval, timezone, locale),
  };
}

function tableOf(report: Report, columns: Column[]): CardProps['table'] {
  const { labels } = labelsOf(report);
  return {
    columns: [t(report.interval), ...columns.map(([name]) => name)],
    rows: report.items.map((item, index) => [labels[index] ?? item.at, ...columns.map(([, cell]) => cell(item))]),
  };
}
