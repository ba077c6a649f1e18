import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentClient } from '@support-chat/sdk';
import type { Dialogue } from '../../src/bin/demo/dialogue.js';
import { playDialogues, type PlayOptions } from '../../src/bin/demo/player.js';
import type { DeskOutcome } from '../../src/bin/demo/play-record.js';
import { progressLine, summaryText, type Failure, type Progress } from '../../src/bin/demo/report.js';
import { refuse } from '../sdk/fake-service.js';
import { FakeChat, type FakeConversation, type FakeMessage, type Fate } from './fake-chat.js';

let chat: FakeChat;
beforeEach(async () => {
  chat = await FakeChat.start();
});
afterEach(() => chat.service.stop());

const dialogue = (id: string): Dialogue => ({
  id,
  topics: ['parcels'],
  turns: [
    ['contact', `${id}: where is my parcel?`],
    ['agent', `${id}: let me look.`],
    ['agent', `${id}: it is on its way.`],
    ['contact', `${id}: thank you!`],
  ],
});

const play = (dialogues: Dialogue[], more: Partial<PlayOptions> = {}) => {
  const { baseUrl } = chat.service;
  const agents = ['sam', 'ada'].map(token => {
    const agent = new AgentClient({ baseUrl });
    agent.restore({ token, refresh_token: token });
    return agent;
  });
  return playDialogues({ baseUrl, agents, routing: 'round_robin', widgetToken: 'wt_1', dialogues, ...more });
};
const callsOf = (conversation: string) =>
  chat.service.requests
    .filter(({ path }) => `${path}/`.includes(`/${conversation}/`))
    .map(({ method, path, token }) => {
      const who = path.startsWith('/v1/widget/') ? 'visitor' : token;
      return `${who}: ${method} ${path.replace(/^.*\/conversations\//, '')}`;
    });

describe('Playing dialogues', () => {
  it('The player checks that each message arrives on the other side, and reads both histories.', async () => {
    const dialogues = ['a', 'b', 'c', 'd', 'e'].map(dialogue);
    const blocks: string[] = [];
    const progress: Progress[] = [];
    const summary = await play(dialogues, {
      concurrency: 3,
      onDialogue: block => blocks.push(block),
      onProgress: state => progress.push(state),
    });
    expect(summary).toMatchObject({ dialogues: 5, messages: 20, frames: 20, failures: [] });
    expect(progress.at(-1)).toEqual({ played: 5, total: 5, messages: 20, failed: 0 });
    expect(blocks).toHaveLength(5);
    for (const block of blocks) {
      const [, id] = /── (\w) /.exec(block)!;
      expect(block.match(/│ \w: /g)).toEqual(Array.from({ length: 4 }, () => `│ ${id}: `));
    }
  });

  it('The agent to whom the service assigns a dialogue tags it, mentions a colleague, answers and resolves; the visitor rates; then both sides are compared.', async () => {
    await play([dialogue('a')]);
    expect(callsOf('c1')).toEqual([
      'sam: PATCH c1',
      'sam: POST c1/messages',
      'sam: POST c1/messages',
      'sam: POST c1/messages',
      'visitor: POST c1/messages',
      'sam: POST c1/resolve',
      'visitor: POST c1/rating',
      'ada: GET c1',
      'visitor: GET c1/messages',
      'sam: GET c1/messages',
    ]);
    const [note] = chat.service.requestsTo('POST /v1/conversations/c1/messages');
    expect(note!.body).toMatchObject({
      content: '@Ada Oak, can you help with “parcels”? They write: “a: where is my parcel?”',
      private: true,
      metadata: { mentions: ['ada'] },
    });
  });

  it('Every other dialogue is snoozed until the contact writes, and wakes then.', async () => {
    const summary = await play([dialogue('a'), dialogue('b')]);
    expect(callsOf('c2')).toEqual([
      'ada: PATCH c2',
      'ada: POST c2/messages',
      'ada: POST c2/messages',
      'ada: POST c2/snooze',
      'visitor: POST c2/messages',
      'ada: POST c2/resolve',
      'visitor: POST c2/rating',
      'sam: GET c2',
      'visitor: GET c2/messages',
      'ada: GET c2/messages',
    ]);
    expect(summary).toMatchObject({
      outcomes: [
        { assignee: 'Sam Pine', tags: ['parcels'], notified: 'socket', photo: true, score: 5 },
        { assignee: 'Ada Oak', tags: ['parcels'], woken: true, score: 4 },
      ],
      failures: [],
    });
  });

  it('A dialogue fails if the agent cannot open the photo.', async () => {
    chat.photoStatus = 404;
    const { failures } = await play([dialogue('a')]);
    expect(failures.map(({ error }) => error.message)).toEqual(['the photo was answered 404']);
  });

  it('A dialogue without an answer is resolved and not rated.', async () => {
    const { outcomes, failures } = await play([{ id: 'a', topics: [], turns: [['contact', 'Hello?']] }]);
    expect({ outcomes, failures }).toEqual({ outcomes: [{ assignee: 'Sam Pine', photo: true }], failures: [] });
    expect(callsOf('c1')).not.toContain('visitor: POST c1/rating');
  });

  it('A mention counts as notified by the list if its frame went to another instance.', async () => {
    chat.notifiedBy.socket = false;
    const { outcomes, failures } = await play([dialogue('a')], { patienceMs: 200 });
    expect({ outcomes, failures }).toMatchObject({ outcomes: [{ notified: 'list' }], failures: [] });
  });

  it('Each dialogue has its own contact in every run.', async () => {
    await play([dialogue('a'), dialogue('b')]);
    await play([dialogue('a'), dialogue('b')]);
    const sessions = chat.service.requestsTo('POST /v1/widget/session');
    expect(new Set(sessions.map(({ body }) => body['external_id'])).size).toBe(4);
    expect(sessions[0]!.body).toMatchObject({ name: 'Maya Lindqvist', email: 'maya.lindqvist@example.com' });
  });

  it('The player plays at most `limit` dialogues.', async () => {
    expect(await play([dialogue('a'), dialogue('b'), dialogue('c')], { limit: 2 })).toMatchObject({ dialogues: 2 });
  });

  it('The player waits after a 429 and retries.', async () => {
    let refusals = 0;
    chat.service.on('POST /v1/conversations/c1/resolve', seen =>
      ++refusals < 3 ? refuse(429, 'rate_limited', {}, { 'retry-after': '0' }) : chat.service.fallback(seen),
    );
    expect(await play([dialogue('a')])).toMatchObject({ failures: [] });
    expect(refusals).toBe(3);
  });

  it('The player sends typing frames when it plays at human speed.', async () => {
    const sockets = new Map<string, Promise<unknown>>();
    const { onSocket: entered } = chat.service;
    chat.service.onSocket = (socket, address) => {
      entered(socket, address);
      const firstFrame = once(socket, 'message').then(([data]) => JSON.parse(String(data)) as unknown);
      sockets.set(address.pathname === '/ws/agent' ? address.searchParams.get('token')! : 'visitor', firstFrame);
    };
    await play([dialogue('a')], { speed: 100 });
    const typing = { type: 'typing', conversation_id: 'c1' };
    expect(await sockets.get('sam')).toEqual(typing);
    expect(await sockets.get('visitor')).toEqual(typing);
  });

  it('The player refuses a negative speed.', async () => {
    await expect(play([dialogue('a')], { speed: -1 })).rejects.toThrow('speed -1');
  });
});

describe('A failing dialogue', () => {
  const failureOf = async () => {
    const blocks: string[] = [];
    const summary = await play([dialogue('a'), dialogue('b')], {
      patienceMs: 200,
      onDialogue: block => blocks.push(block),
    });
    expect(summary).toMatchObject({ dialogues: 2, failures: [{}] });
    const [{ dialogue: id, error }] = summary.failures as [Failure];
    const block = blocks.find(text => text.startsWith(`── ${id} `))!;
    expect(block.replace(/\s+/g, ' ')).toContain(`failed: ${error.message}`);
    return error.message;
  };

  it.each<[string, string, Fate, string]>([
    [
      'the visitor does not receive the agent’s message',
      'a: let me look.',
      'lost',
      'message 2 did not reach the visitor: no message.created within 0.2 s',
    ],
    [
      'the agent does not receive the visitor’s message',
      'a: where is my parcel?',
      'lost',
      'message 1 did not reach the agent: no message.created within 0.2 s',
    ],
    [
      'a message arrives with another content',
      'a: it is on its way.',
      'garbled',
      'message 3 did not reach the visitor: it arrived as "…"',
    ],
    ['a message is delivered twice', 'a: let me look.', 'shown twice', 'the visitor received more than once: c1-4'],
  ])('A dialogue fails, and the others continue, if %s.', async (_case, content, fate, why) => {
    chat.fate = message => (message.content === content ? fate : 'shown');
    expect(await failureOf()).toBe(why);
  });

  it.each<[string, (messages: FakeMessage[]) => FakeMessage[], string]>([
    [
      'an acknowledged message is missing from the history',
      all => all.filter(({ seq }) => seq !== 4),
      'acknowledged but missing: c1-4',
    ],
    ['a message occurs twice in the history', all => all.concat(all[1]!), 'stored more than once: c1-4'],
    ['the history has another order', all => all.toReversed(), 'message 1 differs from what was sent'],
    [
      'the history has another content',
      all => all.map(one => ({ ...one, content: '…' })),
      'message 1 differs from what was sent',
    ],
    [
      'the history has a message that nobody sent',
      all => all.map(one => ({ ...one, id: `x${one.id}` })).concat(all),
      'never sent to this side: xc1-1',
    ],
    [
      'the timeline lacks an entry',
      all => all.filter(({ content_type }) => content_type !== 'event'),
      'the timeline is “”, not “resolved”',
    ],
  ])('A dialogue fails if %s.', async (_case, remembered, why) => {
    chat.remembered = all => (all[0]!.conversation_id === 'c1' ? remembered(all) : all);
    expect(await failureOf()).toContain(`the visitor’s history: ${why}`);
  });
});

describe('A desk that does not do its part', () => {
  const failuresOf = async (dialogues = [dialogue('a'), dialogue('b')]) => {
    const { failures } = await play(dialogues, { patienceMs: 200 });
    return failures.map(({ dialogue: id, error }) => `${id}: ${error.message}`);
  };
  const onlyIn = (id: string, change: (metadata: Record<string, unknown>) => Record<string, unknown>) => {
    chat.entry = metadata => (metadata['event'] === id ? change(metadata) : metadata);
  };

  it('A dialogue fails if the service does not assign it.', async () => {
    chat.fate = ({ metadata }) => (metadata['event'] === 'assigned' ? 'lost' : 'shown');
    expect(await failuresOf([dialogue('a')])).toEqual([
      'a: the conversation was not assigned: no timeline entry “assigned” within 0.2 s',
    ]);
  });

  it('A dialogue fails if it is assigned in another mode, or to somebody else.', async () => {
    onlyIn('assigned', metadata => ({ ...metadata, reason: 'taken' }));
    expect(await failuresOf([dialogue('a')])).toEqual([
      'a: the conversation was not assigned: by taken instead of round_robin',
    ]);
    onlyIn('assigned', metadata => ({ ...metadata, assignee_id: 'eve' }));
    expect(await failuresOf([dialogue('b')])).toEqual([
      'b: the conversation was not assigned: to eve, who is not one of the agents',
    ]);
  });

  it('A dialogue fails if the mentioned colleague is notified neither on the socket nor in the list.', async () => {
    chat.notifiedBy = { socket: false, list: false };
    expect(await failuresOf()).toEqual(['a: Ada Oak was not notified of the note: no notification within 0.2 s']);
  });

  it('A dialogue fails if a snoozed conversation does not wake, or loses its assignee.', async () => {
    chat.fate = ({ metadata }) => (metadata['event'] === 'woken' ? 'lost' : 'shown');
    expect(await failuresOf()).toEqual([
      'b: the snoozed conversation did not wake: no timeline entry “woken” within 0.2 s',
    ]);
    chat.fate = () => 'shown';
    onlyIn('woken', metadata => ({ ...metadata, assignee_id: null }));
    expect(await failuresOf()).toEqual(['b: the snoozed conversation did not wake: it has lost its assignee']);
    onlyIn('woken', metadata => ({ ...metadata, reason: 'snooze_ended' }));
    expect(await failuresOf()).toEqual(['b: the snoozed conversation did not wake: its reason is snooze_ended']);
  });

  it.each<[string, Partial<FakeConversation>, string]>([
    ['is not resolved', { status: 'open' }, 'it is open'],
    ['has another assignee', { assignee_id: 'eve' }, 'its assignee is eve'],
    ['lacks a tag', { tags: [] }, 'its tags are “”'],
    ['lacks the rating', { csat: null }, 'its rating is null'],
    [
      'has another score',
      { csat: { score: 1, comment: 'a: thank you!' } },
      'its rating is {"score":1,"comment":"a: thank you!"}',
    ],
    ['lacks the comment', { csat: { score: 5, comment: null } }, 'its rating is {"score":5,"comment":null}'],
  ])('A dialogue fails if the conversation %s at the end.', async (_case, wrong, why) => {
    chat.found = conversation => ({ ...conversation, ...wrong });
    expect(await failuresOf([dialogue('a')])).toEqual([`a: the conversation at the end: ${why}`]);
  });

  it('A dialogue fails if the visitor can read the private note, or receives it.', async () => {
    chat.leak = 'history';
    expect(await failuresOf([dialogue('a')])).toEqual(['a: the visitor’s history: never sent to this side: c1-3']);
    chat.leak = 'socket';
    expect(await failuresOf([dialogue('b')])).toEqual(['b: the visitor received private messages: c2-3']);
  });
});

describe('The report of a play', () => {
  it('The progress line shows how far a play has come.', () => {
    expect(progressLine({ played: 128, total: 512, messages: 1630, failed: 0 })).toBe(
      'played 128 of 512 dialogues, 1,630 messages',
    );
    expect(progressLine({ played: 1, total: 1, messages: 4, failed: 1 })).toBe(
      'played 1 of 1 dialogue, 4 messages, 1 failed',
    );
  });

  it('The summary lists what was played and delivered, and what failed.', () => {
    const failures = [{ dialogue: 'a', error: new Error('message 2 did not reach the visitor') }];
    const outcomes: DeskOutcome[] = [
      { assignee: 'Sam', tags: ['tea'], notified: 'socket', photo: true, score: 5 },
      { assignee: 'Ada', tags: ['tea'], notified: 'list', score: 4 },
      { assignee: 'Sam', woken: true, score: 5 },
      {},
    ];
    expect(summaryText({ dialogues: 512, messages: 8000, frames: 7999, seconds: 10, outcomes, failures })).toBe(
      [
        '512 dialogues played in 10.0 s',
        '8,000 messages sent (800 a second), 7,999 frames delivered to the other side',
        '3 conversations assigned by the service: Ada 1, Sam 2',
        '2 conversations tagged',
        '1 conversation snoozed, and woken by the contact',
        '1 photo sent, and opened by the agent',
        '2 mentions notified, 1 in the list only',
        '3 ratings, 4.7 of 5 on average',
        'failed: a: message 2 did not reach the visitor',
        '',
      ].join('\n'),
    );
  });
});
