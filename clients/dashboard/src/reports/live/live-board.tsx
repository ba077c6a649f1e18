import type { LiveBoardView } from '@support-chat/sdk';
import { Banner } from '../../parts/banner.js';
import { Button } from '../../parts/button.js';
import { Skeleton } from '../../parts/skeleton.js';
import { useSession } from '../../session-context.js';
import { Definition } from '../definition.js';
import { failureText } from '../failure-text.js';
import { formatCount, formatDuration } from '../format.js';
import { formats, t, type ReportTextKey } from '../texts/index.js';
import { useLiveBoard } from './use-live-board.js';

/** The service counts no further. */
const MOST_WAITING = 10_000;

/** The desk at this moment. */
export function LiveBoard() {
  const { agent } = useSession();
  const { board, at, failure, reload } = useLiveBoard(agent);
  return (
    <section class="report" aria-labelledby="live-title">
      <div class="report-head">
        <h1 id="live-title">{t('liveTitle')}</h1>
        {at !== undefined && <p class="hint">{t('liveAt', { time: exactTime(at) })}</p>}
      </div>
      {failure !== undefined && (
        <div class="report-failure">
          <Banner kind="danger">
            {failureText(failure)} {at !== undefined && t('liveOld', { time: exactTime(at) })}
          </Banner>
          <Button look="quiet" onClick={reload}>
            {t('retry')}
          </Button>
        </div>
      )}
      {board && <Board board={board} />}
      {!board && failure === undefined && <Skeleton lines={9} />}
    </section>
  );
}

function Board({ board }: { board: LiveBoardView }) {
  const { open, pending, snoozed, unassigned, waiting, longest_waiting_seconds: longest, members } = board;
  const waitingText = waiting >= MOST_WAITING ? t('moreThan', { count: MOST_WAITING }) : formatCount(waiting);
  return (
    <>
      <dl class="tiles">
        <Tile name="waiting" definition="waitingDefinition" value={waitingText} />
        <Tile
          name="longest"
          definition="longestDefinition"
          value={longest === null ? t('nobody') : formatDuration(longest)}
        />
        <Tile name="unassigned" definition="unassignedDefinition" value={formatCount(unassigned)} />
        <Tile name="open" definition="openDefinition" value={formatCount(open)} />
        <Tile name="pending" definition="pendingDefinition" value={formatCount(pending)} />
        <Tile name="snoozed" definition="snoozedDefinition" value={formatCount(snoozed)} />
      </dl>
      <h2 class="part-title">{t('team')}</h2>
      <div class="table-box wide" role="region" aria-label={t('team')} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('member')}</th>
              <th scope="col" class="words">
                {t('connection')}
              </th>
              <th scope="col" class="words">
                {t('availability')}
              </th>
              <th scope="col">{t('load')}</th>
            </tr>
          </thead>
          <tbody>
            {members.map(member => (
              <tr key={member.member_id}>
                <th scope="row" dir="auto">
                  {member.name}
                </th>
                <td class="words">
                  <span class={member.online ? 'state online' : 'state offline'}>
                    {t(member.online ? 'online' : 'offline')}
                  </span>
                </td>
                <td class="words">{t(AVAILABILITIES[member.availability])}</td>
                <td>
                  <Load open={member.open} capacity={member.capacity} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const AVAILABILITIES = {
  online: 'availableOnline',
  away: 'availableAway',
  offline: 'availableOffline',
} as const satisfies Record<LiveBoardView['members'][number]['availability'], ReportTextKey>;

function Tile({ name, definition, value }: { name: ReportTextKey; definition: ReportTextKey; value: string }) {
  return (
    <div class="tile">
      <dt>
        {t(name)} <Definition of={t(name)}>{t(definition)}</Definition>
      </dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Open conversations of a member out of as many as it can have. */
function Load({ open, capacity }: { open: number; capacity: number }) {
  const share = capacity > 0 ? Math.min(1, open / capacity) : 1;
  return (
    <span class={open >= capacity ? 'load full' : 'load'}>
      <span class="track" aria-hidden="true">
        <span class="bar" style={{ inlineSize: `${share * 100}%` }} />
      </span>
      {t('loadOf', { open, capacity })}
    </span>
  );
}

function exactTime(at: number): string {
  return new Intl.DateTimeFormat(formats().locale, { timeStyle: 'medium' }).format(at);
}
