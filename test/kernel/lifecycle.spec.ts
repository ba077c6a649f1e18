import { describe, expect, it } from '@jest/globals';
import type { Actor } from '../../src/kernel/domain-event.js';
import type { Conversation, Status } from '../../src/modules/conversations/conversation.js';
import { STATUSES } from '../../src/modules/conversations/conversation.js';
import type { Effects, Trigger } from '../../src/modules/conversations/lifecycle.js';
import { TARGET_STATUS, isPastReopening, transition, TRANSITIONS } from '../../src/modules/conversations/lifecycle.js';
import { TimelineHooks } from '../../src/modules/conversations/timeline-hooks.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const actor: Actor = { type: 'member', id: '01960000-0000-7000-8000-000000000001' };
const HOUR_MS = 3_600_000;

function conversation(given: Partial<Conversation>): Conversation {
  return {
    id: '01960000-0000-7000-8000-00000000000a',
    workspaceId: '01960000-0000-7000-8000-00000000000b',
    number: 7,
    channelId: '01960000-0000-7000-8000-00000000000c',
    contactId: '01960000-0000-7000-8000-00000000000d',
    status: 'open',
    priority: 'none',
    assigneeId: null,
    botId: null,
    control: 'human',
    single: true,
    subject: null,
    tagIds: [],
    tags: [],
    customAttributes: {},
    snoozedUntil: null,
    waitingSince: null,
    firstResponseAt: null,
    firstResponseDue: false,
    contactDue: false,
    lastMessage: null,
    lastPublicMessage: null,
    lastActivityAt: now,
    lastSeq: 3,
    lastPublicSeq: 3,
    unreadAgents: 0,
    unreadContact: 0,
    agentLastReadSeq: 0,
    contactLastReadSeq: 0,
    resolvedAt: null,
    resolvedBy: null,
    beforeResolve: null,
    reopenedCount: 2,
    previousConversationId: null,
    csat: null,
    csatMemberId: null,
    context: null,
    preChat: null,
    handoff: null,
    erasedAt: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
    ...given,
  };
}

const AT = '2026-03-01T12:00:00.000000Z';
const nothing: Effects = { columns: {}, timeline: null };
const takenOver: Effects = { columns: { status: 'open', control: 'human', waitingSince: now }, timeline: null };
const taken: Effects = { columns: { assigneeId: null }, timeline: { event: 'assigned', public: false } };
const takenFromBot: Effects = { columns: { ...takenOver.columns, ...taken.columns }, timeline: taken.timeline };
const handoff = { reason: null, summary: null, at: AT };
const handedOver: Effects = {
  columns: { status: 'open', control: 'human', waitingSince: now, handoff },
  timeline: { event: 'handed_over', public: false },
};
const givenBack: Effects = {
  columns: { assigneeId: null, handoff },
  timeline: { event: 'handed_over', public: false },
};
const snoozed: Effects = {
  columns: { status: 'snoozed', snoozedUntil: null },
  timeline: { event: 'snoozed', public: false, until: null },
};
const woken: Effects = {
  columns: { status: 'open', snoozedUntil: null },
  timeline: { event: 'woken', public: false },
};
const wokenByContact: Effects = {
  columns: { status: 'open', snoozedUntil: null },
  timeline: { event: 'woken', public: false, reason: 'contact_wrote' },
};
const reopened: Effects = {
  columns: {
    status: 'open',
    control: 'human',
    resolvedAt: null,
    resolvedBy: null,
    beforeResolve: null,
    reopenedCount: 3,
    contactDue: true,
  },
  timeline: { event: 'reopened', public: true },
};
const resolvedFrom = (status: Status, event: 'resolved' | 'closed_by_contact' = 'resolved'): Effects => ({
  columns: {
    status: 'resolved',
    resolvedAt: now,
    resolvedBy: actor,
    snoozedUntil: null,
    waitingSince: null,
    beforeResolve: { status, control: 'human', assignee_id: null, snoozed_until: null, waiting_since: null },
  },
  timeline: { event, public: true },
});
const closedFrom = (status: Status) => resolvedFrom(status, 'closed_by_contact');
const takenBack: Effects = {
  columns: {
    status: 'open',
    control: 'human',
    assigneeId: null,
    snoozedUntil: null,
    waitingSince: null,
    resolvedAt: null,
    resolvedBy: null,
    beforeResolve: null,
  },
  timeline: null,
};

/** Expected effects of every trigger in every status; null means that the trigger is refused. */
const TABLE: Record<Trigger, Record<Status, Effects | null>> = {
  contact_message: { pending: nothing, open: nothing, snoozed: wokenByContact, resolved: reopened },
  agent_message: { pending: takenOver, open: nothing, snoozed: nothing, resolved: reopened },
  bot_message: { pending: nothing, open: null, snoozed: null, resolved: null },
  take: { pending: takenFromBot, open: taken, snoozed: taken, resolved: null },
  handoff: { pending: handedOver, open: givenBack, snoozed: null, resolved: null },
  snooze: { pending: null, open: snoozed, snoozed, resolved: null },
  wake: { pending: null, open: null, snoozed: woken, resolved: null },
  resolve: {
    pending: resolvedFrom('pending'),
    open: resolvedFrom('open'),
    snoozed: resolvedFrom('snoozed'),
    resolved: null,
  },
  close: { pending: closedFrom('pending'), open: closedFrom('open'), snoozed: closedFrom('snoozed'), resolved: null },
  idle: { pending: resolvedFrom('pending'), open: resolvedFrom('open'), snoozed: null, resolved: null },
  reopen: { pending: null, open: null, snoozed: null, resolved: reopened },
  undo_resolve: { pending: null, open: null, snoozed: null, resolved: takenBack },
};

const TRIGGERS = Object.keys(TABLE) as Trigger[];
const CELLS = TRIGGERS.flatMap(trigger =>
  STATUSES.map(status => ({ trigger, status, effects: TABLE[trigger][status] })),
);
function outcome(effects: Effects | null): string {
  if (effects === null) return 'refused';
  return effects.columns.status === undefined ? 'status unchanged' : `status becomes ${effects.columns.status}`;
}

describe('Conversation lifecycle', () => {
  it('The lifecycle defines exactly the triggers of this table', () => {
    expect(Object.keys(TRANSITIONS).sort()).toEqual([...TRIGGERS].sort());
    expect(Object.keys(TARGET_STATUS).sort()).toEqual([...TRIGGERS].sort());
  });

  it.each(CELLS.map(cell => ({ ...cell, outcome: outcome(cell.effects) })))(
    'Lifecycle trigger $trigger on a conversation in status $status: $outcome',
    ({ trigger, status, effects }) => {
      const before = conversation({ status });
      expect(transition(before, trigger, { now, actor })).toEqual(effects);
      expect(before).toEqual(conversation({ status }));
    },
  );

  it('A successful transition leads to the status that a refusal of its trigger would name', () => {
    for (const { trigger, effects } of CELLS) {
      if (effects?.columns.status) expect(effects.columns.status).toBe(TARGET_STATUS[trigger]);
    }
  });

  it('Leaving the resolved status clears resolved_at and resolved_by', () => {
    for (const { trigger, status, effects } of CELLS.filter(cell => cell.status === 'resolved' && cell.effects)) {
      const before = conversation({ status, resolvedAt: now, resolvedBy: actor });
      expect(transition(before, trigger, { now, actor })?.columns).toMatchObject({
        resolvedAt: null,
        resolvedBy: null,
      });
      expect(effects?.columns.status).toBe('open');
    }
  });
});

describe('Reopen window', () => {
  const resolvedAgo = (ms: number) => conversation({ status: 'resolved', resolvedAt: new Date(now.getTime() - ms) });

  it('The reopen window includes its last millisecond and ends after it', () => {
    expect(isPastReopening(resolvedAgo(72 * HOUR_MS - 1), 72, now)).toBe(false);
    expect(isPastReopening(resolvedAgo(72 * HOUR_MS), 72, now)).toBe(false);
    expect(isPastReopening(resolvedAgo(72 * HOUR_MS + 1), 72, now)).toBe(true);
  });

  it('A reopen window of 0 hours ends at once', () => {
    expect(isPastReopening(resolvedAgo(1), 0, now)).toBe(true);
  });

  it('Only a resolved conversation can be past its reopen window', () => {
    for (const status of ['pending', 'open', 'snoozed'] as const) {
      expect(isPastReopening(conversation({ status }), 0, now)).toBe(false);
    }
  });
});

describe('A contact who writes to a resolved conversation', () => {
  it('A contact who writes to a resolved conversation is served by the bot that the channel is routed to', () => {
    const before = conversation({ status: 'resolved', assigneeId: '01960000-0000-7000-8000-00000000000e' });
    const botId = '01960000-0000-7000-8000-00000000000f';
    expect(transition(before, 'contact_message', { now, actor, botId })?.columns).toMatchObject({
      status: 'pending',
      control: 'bot',
      botId,
      assigneeId: null,
      reopenedCount: 3,
    });
  });
});

describe('A resolve that is taken back', () => {
  it.each(['pending', 'open', 'snoozed'] as const)('A conversation that was %s is as it was before', status => {
    const before = conversation({
      status,
      control: status === 'pending' ? 'bot' : 'human',
      assigneeId: status === 'pending' ? null : '01960000-0000-7000-8000-00000000000e',
      snoozedUntil: status === 'snoozed' ? new Date(now.getTime() + HOUR_MS) : null,
      waitingSince: new Date(now.getTime() - HOUR_MS),
    });
    const resolving = transition(before, 'resolve', { now, actor })?.columns;
    const back = transition({ ...before, ...resolving }, 'undo_resolve', { now, actor })?.columns;
    expect({ ...before, ...resolving, ...back }).toEqual(before);
  });

  it('A conversation whose bot no longer serves it goes to people, who see why', () => {
    const before = conversation({ status: 'pending', control: 'bot' });
    const resolving = transition(before, 'resolve', { now, actor })?.columns;
    const circumstances = { now, actor, reason: 'bot_disabled' };
    const effects = transition({ ...before, ...resolving }, 'undo_resolve', circumstances);
    expect({ ...before, ...resolving, ...effects?.columns }).toEqual({
      ...before,
      status: 'open',
      control: 'human',
      waitingSince: now,
      handoff: { reason: 'bot_disabled', summary: null, at: AT },
    });
    expect(effects?.timeline).toEqual({ event: 'handed_over', public: false, reason: 'bot_disabled' });
  });
});

describe('Timeline hooks', () => {
  it('A timeline that no module has registered cannot be written', () => {
    expect(() => new TimelineHooks().timeline).toThrow(/no module/);
  });
});
