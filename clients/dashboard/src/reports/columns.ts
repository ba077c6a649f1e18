import { formatCount, formatDuration, formatRating } from './format.js';
import type { DurationFigures, Figures } from './figures.js';
import { formats, t } from './texts/index.js';

/** A member, a channel or a tag with its figures. */
export interface Row {
  id: string;
  name: string;
  figures: Figures;
}

export interface Column {
  name: string;
  title: string;
  definition?: string | undefined;
  /** Null: no figure. Such rows come last. */
  value: (figures: Figures) => number | null;
  format: (figures: Figures) => string;
}

/** The first column is the one by which rows are sorted at first. */
export function columnsOf(kind: 'members' | 'channels' | 'tags', isBusiness: boolean): Column[] {
  const hours = t(isBusiness ? 'inBusinessHours' : 'atAllHours');
  const count = (name: 'created' | 'resolved' | 'messages_in' | 'messages_out' | 'bot_resolved', title: string) => ({
    name,
    title,
    value: (figures: Figures) => figures[name],
    format: (figures: Figures) => formatCount(figures[name]),
  });
  const duration = (name: string, title: string, definition: string, read: (figures: Figures) => DurationFigures) => ({
    name,
    title,
    definition: `${definition} ${hours} ${t('medianDefinition')}`,
    value: (figures: Figures) => read(figures).p50,
    format: (figures: Figures) => formatDuration(read(figures).p50),
  });
  const counts =
    kind === 'members'
      ? [count('resolved', t('resolved')), count('messages_out', t('messagesSent'))]
      : [count('created', t('created')), count('resolved', t('resolved')), count('messages_in', t('messagesIn'))];
  return [
    ...counts,
    duration('first_response', t('firstResponse'), t('responseDefinition'), figures =>
      isBusiness ? figures.first_response_business : figures.first_response,
    ),
    duration('resolution', t('resolutionTime'), t('resolutionDefinition'), figures =>
      isBusiness ? figures.resolution_business : figures.resolution,
    ),
    {
      name: 'csat',
      title: t('ratingShort'),
      definition: t('ratingDefinition'),
      value: ({ csat }) => csat.mean,
      format: ({ csat }) =>
        csat.count === 0 ? formatRating(null) : t('ratingOf', { mean: formatRating(csat.mean), count: csat.count }),
    },
    ...(kind === 'members' ? [] : [count('bot_resolved', t('botResolved'))]),
  ];
}

/** Sorts by a column, and by name among equals. */
export function sortRows(
  rows: readonly Row[],
  columns: readonly Column[],
  by: string,
  isAscending: boolean,
): readonly Row[] {
  const order = new Intl.Collator(formats().locale, { numeric: true });
  const direction = isAscending ? 1 : -1;
  const column = columns.find(({ name }) => name === by);
  return [...rows].sort((one, other) => {
    const names = order.compare(one.name, other.name);
    if (!column) return names * direction;
    const [first, second] = [column.value(one.figures), column.value(other.figures)];
    if (first === second) return names;
    if (first === null || second === null) return first === null ? 1 : -1;
    return (first - second) * direction;
  });
}
