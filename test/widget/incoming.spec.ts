import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ChatCore } from '../../clients/widget/src/chat-core.js';
import { receive } from '../../clients/widget/src/incoming.js';
import { ChatState, type VisitorFrame } from '../../clients/widget/src/state/chat-state.js';

const view = (unread: number, last_seq = 2) =>
  ({
    id: 'c1',
    status: 'open',
    last_message: { id: `m${last_seq}` },
    last_seq,
    unread: { agents: 0, contact: unread },
    created_at: '2026-01-01T00:00:00.000000Z',
  }) as Parameters<ChatState['applyConversation']>[0];
const frame = (type: string, data: object) => ({ type, data, timestamp: '' }) as VisitorFrame;
const unsent = (seq: number) =>
  frame('message.deleted', {
    message: { id: `m${seq}`, conversation_id: 'c1', seq, created_at: '1', deleted_at: '2' },
  });
const read = (last_read_seq: number, reader = 'contact') =>
  frame('conversation.read', { id: 'c1', reader, last_read_seq });

let state: ChatState;
/** Number of times that the present state has been read again. */
let refreshes: number;
let chat: ChatCore;
beforeEach(() => {
  state = new ChatState();
  refreshes = 0;
  const connection = { refresh: () => void (refreshes += 1) };
  chat = { state, connection, changed() {} } as unknown as ChatCore;
});

describe('A frame that does not tell the count of unread messages', () => {
  it('An unsent message makes the chat read the count again while messages are unread', () => {
    state.applyConversation(view(2));
    receive(chat, unsent(1));
    expect(refreshes).toBe(1);
  });

  it('An unsent message makes the chat read the count again while its conversation is being read', () => {
    receive(chat, unsent(1));
    expect(refreshes).toBe(1);
  });

  it('A message that was read and then unsent makes the chat read nothing again', () => {
    state.applyConversation(view(0));
    receive(chat, unsent(1));
    expect(refreshes).toBe(0);
  });

  it('Reading a part of the messages in another tab makes the chat read the count of the rest again', () => {
    state.applyConversation(view(2));
    receive(chat, read(1));
    expect(refreshes).toBe(1);
    receive(chat, read(2));
    expect([state.unread, refreshes]).toEqual([0, 1]);
  });

  it('Reading by agents makes the chat read nothing again', () => {
    state.applyConversation(view(2));
    receive(chat, read(1, 'agents'));
    expect(refreshes).toBe(0);
  });
});
