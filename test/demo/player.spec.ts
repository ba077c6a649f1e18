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

const talk = (id: string): Dialogue => ({
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

describe('a play', () => {
  it('has each message heard on the other side, and both histories read', async () => {
    const dialogues = ['a', 'b', 'c', 'd', 'e'].map(talk);
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

  it('is taken by the agent before its first reply, resolved at its end, then compared', async () => {
    await play([talk('a')]);
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

  it('has a contact of its own for each dialogue, today and tomorrow', async () => {
    await play([talk('a'), talk('b')]);
    await play([talk('a'), talk('b')]);
    const sessions = chat.service.requestsTo('POST /v1/widget/session');
    expect(new Set(sessions.map(({ body }) => body['external_id'])).size).toBe(4);
    expect(sessions[0]!.body).toMatchObject({ name: 'Maya Lindqvist', email: 'maya.lindqvist@example.com' });
  });

  it('plays no more than it is asked to', async () => {
    expect(await play([talk('a'), talk('b'), talk('c')], { limit: 2 })).toMatchObject({ dialogues: 2 });
  });

  it('waits out a rate limit', async () => {
    let refusals = 0;
    chat.service.on('POST /v1/conversations/c1/take', seen =>
      ++refusals < 3 ? refuse(429, 'rate_limited', {}, { 'retry-after': '0' }) : chat.service.fallback(seen),
    );
    expect(await play([talk('a')])).toMatchObject({ failures: [] });
    expect(refusals).toBe(3);
  });

  it('shows who is typing, when it is played at a human pace', async () => {
    const sockets = new Map<string, Promise<unknown>>();
    const { onSocket: entered } = chat.service;
    chat.service.onSocket = (socket, address) => {
      entered(socket, address);
      const heard = once(socket, 'message').then(([data]) => JSON.parse(String(data)) as unknown);
      sockets.set(address.pathname, heard);
    };
    await play([talk('a')], { speed: 100 });
    const typing = { type: 'typing', conversation_id: 'c1' };
    expect(await sockets.get('/ws/agent')).toEqual(typing);
    expect(await sockets.get('/ws/visitor')).toEqual(typing);
  });

  it('refuses a speed that is none', async () => {
    await expect(play([talk('a')], { speed: -1 })).rejects.toThrow('speed -1');
  });
});

describe('a dialogue fails, and the others go on,', () => {
  const second = (conversation: string, seq: number) => (message: { conversation_id: string; seq: number }) =>
    message.conversation_id === conversation && message.seq === seq;

  const failureOf = async () => {
    const blocks: string[] = [];
    const summary = await play([talk('a'), talk('b')], { patienceMs: 200, onDialogue: block => blocks.push(block) });
    expect(summary).toMatchObject({ dialogues: 2, failures: [{ dialogue: 'a' }] });
    const { message } = summary.failures[0]!.error;
    expect(blocks[0]!.replace(/\s+/g, ' ')).toContain(`failed: ${message}`);
    return message;
  };

  it('when the agent’s message is not shown to the visitor', async () => {
    const lost = second('c1', 3);
    chat.fate = message => (lost(message) ? 'lost' : 'shown');
    expect(await failureOf()).toBe('message 2 did not reach the visitor: no message.created within 0.2 s');
  });

  it('when the visitor’s message is not shown to the agent', async () => {
    const lost = second('c1', 1);
    chat.fate = message => (lost(message) ? 'lost' : 'shown');
    expect(await failureOf()).toBe('message 1 did not reach the agent: no message.created within 0.2 s');
  });

  it('when a message arrives as another one', async () => {
    const lost = second('c1', 4);
    chat.fate = message => (lost(message) ? 'garbled' : 'shown');
    expect(await failureOf()).toBe('message 3 did not reach the visitor: it arrived as "…"');
  });

  it('when a message is told twice', async () => {
    const lost = second('c1', 3);
    chat.fate = message => (lost(message) ? 'shown twice' : 'shown');
    expect(await failureOf()).toBe('the visitor received more than once: c1-3');
  });

  it.each<[string, (messages: FakeMessage[]) => FakeMessage[], string]>([
    [
      'an acknowledged message is not in the history',
      all => all.slice(0, 2).concat(all.slice(3)),
      'acknowledged but missing: c1-3',
    ],
    ['a message stands twice in the history', all => all.concat(all[2]!), 'stored more than once: c1-3'],
    ['the history has another order', all => all.toReversed(), 'message 1 differs from what was sent'],
    [
      'the history has other words',
      all => all.map(one => ({ ...one, content: '…' })),
      'message 1 differs from what was sent',
    ],
    ['nobody said it', all => all.map(one => ({ ...one, id: `x${one.id}` })).concat(all), 'never sent: xc1-1'],
  ])('when %s', async (_what, remembered, why) => {
    chat.remembered = all => (all[0]!.conversation_id === 'c1' ? remembered(all) : all);
    expect(await failureOf()).toContain(`the visitor’s history: ${why}`);
  });
});

describe('the report', () => {
  it('says how far a long play has come', () => {
    expect(progressLine({ played: 128, total: 512, messages: 1630, failed: 0 })).toBe(
      'played 128 of 512 dialogues, 1,630 messages',
    );
    expect(progressLine({ played: 1, total: 1, messages: 4, failed: 1 })).toBe(
      'played 1 of 1 dialogue, 4 messages, 1 failed',
    );
  });

  it('says what was played and delivered, and names what failed', () => {
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
