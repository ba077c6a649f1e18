import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AgentClient } from '@support-chat/sdk';
import type { Dialogue } from '../../src/bin/demo/dialogue.js';
import { playDialogues, type PlayOptions } from '../../src/bin/demo/player.js';
import { progressLine, summaryText, type Progress } from '../../src/bin/demo/report.js';
import { refuse } from '../sdk/fake-service.js';
import { FakeChat, type FakeMessage } from './fake-chat.js';

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
  const agent = new AgentClient({ baseUrl });
  agent.restore({ token: 'agent', refresh_token: 'agent' });
  return playDialogues({ baseUrl, agent, widgetToken: 'wt_1', dialogues, ...more });
};
const pathsOf = (conversation: string) =>
  chat.service.requests
    .filter(({ path }) => path.includes(`/${conversation}/`))
    .map(({ method, path }) => `${method} ${path.replace('/v1/', '')}`);

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
      expect(block.match(/\w: /g)).toEqual(Array.from({ length: 4 }, () => `${id}: `));
    }
  });

  it('In each dialogue the agent takes the conversation before its first reply and resolves it at the end; then the histories are compared.', async () => {
    await play([dialogue('a')]);
    expect(pathsOf('c1')).toEqual([
      'POST conversations/c1/take',
      'POST conversations/c1/messages',
      'POST conversations/c1/messages',
      'POST widget/conversations/c1/messages',
      'POST conversations/c1/resolve',
      'GET widget/conversations/c1/messages',
      'GET conversations/c1/messages',
    ]);
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
    chat.service.on('POST /v1/conversations/c1/take', seen =>
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
      sockets.set(address.pathname, firstFrame);
    };
    await play([dialogue('a')], { speed: 100 });
    const typing = { type: 'typing', conversation_id: 'c1' };
    expect(await sockets.get('/ws/agent')).toEqual(typing);
    expect(await sockets.get('/ws/visitor')).toEqual(typing);
  });

  it('The player refuses a negative speed.', async () => {
    await expect(play([dialogue('a')], { speed: -1 })).rejects.toThrow('speed -1');
  });
});

describe('A failing dialogue', () => {
  const second = (conversation: string, seq: number) => (message: { conversation_id: string; seq: number }) =>
    message.conversation_id === conversation && message.seq === seq;

  const failureOf = async () => {
    const blocks: string[] = [];
    const summary = await play([dialogue('a'), dialogue('b')], {
      patienceMs: 200,
      onDialogue: block => blocks.push(block),
    });
    expect(summary).toMatchObject({ dialogues: 2, failures: [{ dialogue: 'a' }] });
    const { message } = summary.failures[0]!.error;
    expect(blocks[0]!.replace(/\s+/g, ' ')).toContain(`failed: ${message}`);
    return message;
  };

  it('A dialogue fails, and the others continue, if the visitor does not receive the agent’s message.', async () => {
    const lost = second('c1', 3);
    chat.fate = message => (lost(message) ? 'lost' : 'shown');
    expect(await failureOf()).toBe('message 2 did not reach the visitor: no message.created within 0.2 s');
  });

  it('A dialogue fails, and the others continue, if the agent does not receive the visitor’s message.', async () => {
    const lost = second('c1', 1);
    chat.fate = message => (lost(message) ? 'lost' : 'shown');
    expect(await failureOf()).toBe('message 1 did not reach the agent: no message.created within 0.2 s');
  });

  it('A dialogue fails, and the others continue, if a message arrives with another content.', async () => {
    const lost = second('c1', 4);
    chat.fate = message => (lost(message) ? 'garbled' : 'shown');
    expect(await failureOf()).toBe('message 3 did not reach the visitor: it arrived as "…"');
  });

  it('A dialogue fails, and the others continue, if a message is delivered twice.', async () => {
    const lost = second('c1', 3);
    chat.fate = message => (lost(message) ? 'shown twice' : 'shown');
    expect(await failureOf()).toBe('the visitor received more than once: c1-3');
  });

  it.each<[string, (messages: FakeMessage[]) => FakeMessage[], string]>([
    [
      'an acknowledged message is missing from the history',
      all => all.slice(0, 2).concat(all.slice(3)),
      'acknowledged but missing: c1-3',
    ],
    ['a message occurs twice in the history', all => all.concat(all[2]!), 'stored more than once: c1-3'],
    ['the history has another order', all => all.toReversed(), 'message 1 differs from what was sent'],
    [
      'the history has another content',
      all => all.map(one => ({ ...one, content: '…' })),
      'message 1 differs from what was sent',
    ],
    [
      'the history has a message that nobody sent',
      all => all.map(one => ({ ...one, id: `x${one.id}` })).concat(all),
      'never sent: xc1-1',
    ],
  ])('A dialogue fails if %s.', async (_case, remembered, why) => {
    chat.remembered = all => (all[0]!.conversation_id === 'c1' ? remembered(all) : all);
    expect(await failureOf()).toContain(`the visitor’s history: ${why}`);
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
    expect(summaryText({ dialogues: 512, messages: 8000, frames: 7999, seconds: 10, failures })).toBe(
      [
        '512 dialogues played in 10.0 s',
        '8,000 messages sent (800 a second), 7,999 frames delivered to the other side',
        'failed: a: message 2 did not reach the visitor',
        '',
      ].join('\n'),
    );
  });
});
