import { useMemo } from 'preact/hooks';
import { items } from '@support-chat/sdk';
import { Select } from '../parts/select.js';
import { useLoaded } from '../parts/use-loaded.js';
import { useSession } from '../session-context.js';
import { DayField } from './controls.js';
import { failureText } from './failure-text.js';
import { RANGES, type Filters } from './filters.js';
import { seesWholeWorkspace, type ReportKind } from './figures.js';
import { addDays, dateIn, isDate, isTimezone } from './local-days.js';
import { intervalsFor, type Period, type PeriodFault } from './period.js';
import { t } from './texts/index.js';
import { useFilters } from './use-filters.js';

const FAULT_ID = 'period-fault';
/** The service refuses longer reports. */
const MAX_DAYS = 366;
const RANGE_TEXTS = {
  today: 'rangeToday',
  '7': 'range7',
  '30': 'range30',
  '90': 'range90',
  custom: 'rangeCustom',
} as const;
const INTERVAL_TEXTS = { hour: 'byHour', day: 'byDay', week: 'byWeek' } as const;

export interface FilterBarProps {
  kind: ReportKind;
  period: Period | undefined;
  fault: PeriodFault | undefined;
}

/** The filters of a report. Each change is in the address at once. */
export function FilterBar({ kind, period, fault }: FilterBarProps) {
  const [filters, change] = useFilters();
  return (
    <form class="filters" aria-label={t('filters')} onSubmit={event => event.preventDefault()}>
      <RangeFilters filters={filters} change={change} fault={fault} />
      {kind === 'conversations' && period && (
        <Select
          label={t('interval')}
          value={period.interval}
          options={intervalsFor(period).map(value => ({ value, name: t(INTERVAL_TEXTS[value]) }))}
          onChange={interval => change({ interval })}
        />
      )}
      <ScopeFilters kind={kind} filters={filters} change={change} />
      <ZoneFilter filters={filters} change={change} />
      <label class="check">
        <input
          type="checkbox"
          checked={filters.isBusiness}
          onChange={event => change({ isBusiness: event.currentTarget.checked })}
        />
        <span>{t('businessHours')}</span>
      </label>
      {fault && (
        <p class="fault" id={FAULT_ID} role="alert">
          {t(fault)}
        </p>
      )}
    </form>
  );
}

interface PartProps {
  filters: Filters;
  change: (changes: Partial<Filters>) => void;
}

function RangeFilters({ filters, change, fault }: PartProps & { fault: PeriodFault | undefined }) {
  const { timezone } = useSession().me.workspace;
  const zone = filters.timezone && isTimezone(filters.timezone) ? filters.timezone : timezone;
  const today = dateIn(zone, Date.now());
  const choose = (range: string) => {
    // the dates that were shown are the beginning of a custom range
    const days = filters.range === 'today' ? 1 : Number(filters.range);
    const dates = range === 'custom' && days > 0 ? { from: addDays(today, 1 - days), to: today } : {};
    change({ range: RANGES.find(each => each === range) ?? '30', ...dates, interval: undefined });
  };
  const describedBy = fault && fault !== 'zoneUnknown' ? FAULT_ID : undefined;
  return (
    <>
      <Select
        label={t('range')}
        value={filters.range}
        options={RANGES.map(value => ({ value, name: t(RANGE_TEXTS[value]) }))}
        onChange={choose}
      />
      {filters.range === 'custom' && (
        <>
          <DayField
            label={t('from')}
            value={filters.from ?? ''}
            min={isDate(filters.to) ? addDays(filters.to, 1 - MAX_DAYS) : undefined}
            max={filters.to ?? today}
            describedBy={describedBy}
            onChange={from => change({ from })}
          />
          <DayField
            label={t('to')}
            value={filters.to ?? ''}
            min={filters.from}
            max={today}
            describedBy={describedBy}
            onChange={to => change({ to })}
          />
        </>
      )}
    </>
  );
}

/** Channels, and members: an agent can choose only itself. */
function ScopeFilters({ kind, filters, change }: PartProps & { kind: ReportKind }) {
  const { agent, me } = useSession();
  const isWhole = seesWholeWorkspace(me);
  const choices = useLoaded(async () => {
    const channels: { id: string; name: string }[] = [];
    const members: { id: string; name: string }[] = [];
    for await (const { id, name } of items(next => agent.channels.list({ limit: 200, ...next }))) {
      channels.push({ id, name });
    }
    if (!isWhole) return { channels, members: [me.member] };
    for await (const { id, name } of items(next => agent.members.list({ limit: 200, ...next }))) {
      members.push({ id, name });
    }
    return { channels, members };
  });
  const select = (name: 'channel' | 'member', all: string, found: { id: string; name: string }[]) => (
    <Select
      label={t(name)}
      value={filters[name] ?? ''}
      options={[
        { value: '', name: all },
        ...withChosen(found, filters[name]).map(({ id, name: title }) => ({ value: id, name: title })),
      ]}
      onChange={value => change({ [name]: value || undefined })}
    />
  );
  return (
    <>
      {select('channel', t('allChannels'), choices.value?.channels ?? [])}
      {kind !== 'members' && select('member', t('allMembers'), choices.value?.members ?? [])}
      {choices.error !== undefined && (
        <p class="fault" role="status">
          {t('choicesFailed', { reason: failureText(choices.error) })}
        </p>
      )}
    </>
  );
}

/** A link may name something that is deleted, or that this session does not see. */
function withChosen(found: { id: string; name: string }[], chosen: string | undefined) {
  if (!chosen || found.some(({ id }) => id === chosen)) return found;
  return [...found, { id: chosen, name: t('unknownChoice') }];
}

function ZoneFilter({ filters, change }: PartProps) {
  const { timezone } = useSession().me.workspace;
  const zones = useMemo(
    () => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].filter(zone => zone !== timezone),
    [timezone],
  );
  const chosen = filters.timezone ?? timezone;
  const offered = zones.includes(chosen) || chosen === timezone ? zones : [...zones, chosen];
  return (
    <Select
      label={t('timezone')}
      value={chosen}
      options={[
        { value: timezone, name: t('workspaceZone', { zone: timezone }) },
        ...offered.map(value => ({ value, name: value.replaceAll('_', ' ') })),
      ]}
      onChange={zone => change({ timezone: zone === timezone ? undefined : zone })}
    />
  );
}
