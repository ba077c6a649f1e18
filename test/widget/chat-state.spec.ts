import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ChatState, UNKNOWN_AGE, type VisitorFrame } from '../../clients/widget/src/state/chat-state.js';

type View = Parameters<ChatState['applyConversation']>[0];
type Message = NonNullable<ReturnType<ChatState['applyFrame']>>;

const time = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000Z`;
const view = (fields: Partial<View> = {}): View => ({
  id: 'c1',
  number: 1,
  status: 'open',
  assignee: null,
  last_message: null,
  last_seq: 0,
  unread: { agents: 1, contact: 0 },
  csat: null,
  created_at: time(0),
  ...fields,
});
const message = (seq: number, fields: Partial<Message> = {}) =>
  ({
    id: `m${seq}`,
    conversation_id: 'c1',
    seq,
    sender_type: 'agent',
    sender_id: 'a1',
    content_type: 'text',
    content: `text ${seq}`,
    attachments: [],
    metadata: {},
    created_at: time(seq),
    edited_at: null,
    deleted_at: null,
    ...fields,
  }) as unknown as Message;
const frame = (type: string, data: object, second = 1) => ({ type, data, timestamp: time(second) }) as VisitorFrame;
const created = (seq: number, fields: Partial<Message> = {}, unread = 1) =>
  frame('message.created', {
    message: message(seq, fields),
    conversation: { id: 'c1', status: 'open', last_seq: seq, unread: { agents: 0, contact: unread } },
  });

let now = 0;
let state: ChatState;
const texts = () => state.threads.get('c1')!.messages.map(({ content }) => content);
beforeEach(() => {
  now = 0;
  state = new ChatState(() => now);
  state.applyConversation(view());
});

describe('The state of a chat', () => {
  it('Messages and their versions give the same state in every order, by response or by frame', () => {
    const versions = [
      message(1),
      message(1, { content: 'edited', edited_at: time(5) }),
      message(2),
      message(2, { content: null, deleted_at: time(6) }),
      message(2, { content: 'edited', edited_at: time(9) }),
      message(4),
    ];
    const order = fc.shuffledSubarray(versions, { minLength: versions.length });
    fc.assert(
      fc.property(order, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), (given, byFrame) => {
        state = new ChatState();
        state.applyConversation(view());
        given.forEach((each, index) => {
          if (byFrame[index]) state.applyFrame(frame('message.updated', { message: each }));
          else state.applyMessages('c1', { items: [each], next_cursor: null });
        });
        expect(texts()).toEqual(['edited', null, 'text 4']);
      }),
    );
  });

  it('A response that was on its way does not undo what a frame has told since', () => {
    const mark = state.mark();
    state.applyFrame(
      frame('conversation.updated', { id: 'c1', changes: { status: { from: 'open', to: 'resolved' } } }),
    );
    state.applyConversation(view({ status: 'open' }), mark);
    expect(state.threads.get('c1')!.view.status).toBe('resolved');
    state.applyConversation(view({ status: 'pending' }), state.mark());
    expect(state.threads.get('c1')!.view.status).toBe('pending');
  });

  it('An older frame that a resume brings late does not undo a newer one', () => {
    const assign = (name: string, second: number) =>
      frame('conversation.updated', { id: 'c1', changes: { assignee: { from: null, to: { name } } } }, second);
    state.applyFrame(assign('Ben', 9));
    state.applyFrame(assign('Ana', 3));
    expect(state.threads.get('c1')!.view.assignee?.name).toBe('Ben');
  });

  it('A message that arrives twice is new once', () => {
    expect(state.applyFrame(created(1))?.seq).toBe(1);
    expect(state.applyFrame(created(1))).toBeUndefined();
    expect(texts()).toEqual(['text 1']);
  });

  it('A message that arrives twice is new once, also after it was dropped to be read again', () => {
    expect(state.applyFrame(created(1))?.seq).toBe(1);
    state.forgetMessages('c1');
    expect(state.applyFrame(created(1))).toBeUndefined();
  });

  it('A message that a read has brought before its frame is announced by the frame, once', () => {
    state.applyMessages('c1', { items: [message(1), message(2)], next_cursor: null });
    expect([1, 2, 2, 1].map(seq => state.applyFrame(created(seq))?.seq)).toEqual([1, 2, undefined, undefined]);
  });

  it('A frame that was sent before a response was read does not undo what the response tells', () => {
    state.applyConversation(view({ last_seq: 2, unread: { agents: 0, contact: 1 } }));
    state.applyFrame(created(2, {}, 2));
    expect(state.unread).toBe(1);
    state.applyFrame(created(3, {}, 2));
    expect(state.unread).toBe(2);
  });

  it('A response of unknown age counts only if it has a later message than what is known', () => {
    state.applyConversation(view({ last_seq: 2, unread: { agents: 0, contact: 1 } }));
    state.applyConversation(view({ last_seq: 2, unread: { agents: 0, contact: 2 } }), UNKNOWN_AGE);
    expect(state.unread).toBe(1);
    state.applyConversation(view({ last_seq: 3, unread: { agents: 0, contact: 2 } }), UNKNOWN_AGE);
    expect(state.unread).toBe(2);
  });

  it('A message counts as unread until it is read here or in another tab', () => {
    state.applyFrame(created(1));
    state.applyFrame(created(2, {}, 2));
    expect(state.unread).toBe(2);
    state.applyFrame(frame('conversation.read', { id: 'c1', reader: 'contact', last_read_seq: 1 }));
    expect(state.unread).toBe(2);
    state.applyFrame(frame('conversation.read', { id: 'c1', reader: 'contact', last_read_seq: 2 }));
    expect(state.unread).toBe(0);
  });

  describe('after a frame that does not tell how many messages are unread', () => {
    const unsent = (seq: number) => frame('message.deleted', { message: message(seq, { deleted_at: time(9) }) });
    const read = (last_read_seq: number, reader = 'contact') =>
      frame('conversation.read', { id: 'c1', reader, last_read_seq });
    const isBehind = (applied: VisitorFrame) => {
      state.applyFrame(applied);
      return state.isBehind(applied);
    };

    it('The count is read again after a message was unsent while messages are unread', () => {
      state.applyFrame(created(1));
      state.applyFrame(created(2, {}, 2));
      expect(isBehind(unsent(1))).toBe(true);
    });

    it('The count is read again after a message was unsent while its conversation is being read', () => {
      state = new ChatState();
      expect(isBehind(unsent(1))).toBe(true);
    });

    it('The last message is read again after it was unsent, though all were read', () => {
      state.applyFrame(created(1, {}, 0));
      expect(isBehind(unsent(1))).toBe(true);
    });

    it('The count is read again after another tab has read a part of the messages, and not after it has read all', () => {
      state.applyFrame(created(1));
      state.applyFrame(created(2, {}, 2));
      expect([read(1, 'agents'), read(1), read(2)].map(isBehind)).toEqual([false, true, false]);
    });
  });

  it('The conversation with the latest message comes first', () => {
    state.applyConversation(view({ id: 'c2', created_at: time(2) }));
    expect(state.list.map(({ view: { id } }) => id)).toEqual(['c2', 'c1']);
    state.applyFrame(created(3));
    expect(state.list.map(({ view: { id } }) => id)).toEqual(['c1', 'c2']);
  });

  it('Agents have seen what they have read, and it stays seen', () => {
    state.applyFrame(frame('conversation.read', { id: 'c1', reader: 'agents', last_read_seq: 3 }));
    state.applyFrame(frame('conversation.read', { id: 'c1', reader: 'agents', last_read_seq: 2 }));
    expect(state.threads.get('c1')!.seenSeq).toBe(3);
    state.applyConversation(view({ last_seq: 5, unread: { agents: 0, contact: 0 } }));
    expect(state.threads.get('c1')!.seenSeq).toBe(5);
  });

  it('Typing ends by its time, by its end and by the message', () => {
    const typing = frame('typing', {
      conversation_id: 'c1',
      sender_id: 'a1',
      sender_type: 'agent',
      name: 'Ana',
      expires_in_ms: 8000,
    });
    state.applyFrame(typing);
    expect(state.typing('c1').map(({ name }) => name)).toEqual(['Ana']);
    now = 8000;
    expect(state.typing('c1')).toEqual([]);
    for (const end of [frame('typing.stop', { conversation_id: 'c1', sender_id: 'a1' }), created(1)]) {
      state.applyFrame(typing);
      expect(state.typing('c1')).toHaveLength(1);
      state.applyFrame(end);
      expect(state.typing('c1')).toEqual([]);
    }
  });

  it('A draft of a bot grows, and ends with its message, its cancellation or 30 s of silence', () => {
    const draft = (text: string, draft_state = 'streaming') =>
      frame('message.draft', { conversation_id: 'c1', draft_id: 'd1', text, state: draft_state });
    state.applyFrame(draft('He'));
    state.applyFrame(draft('Hello'));
    expect(state.draft('c1')?.text).toBe('Hello');
    now = 30_000;
    expect(state.draft('c1')).toBeUndefined();
    state.applyFrame(draft('Again'));
    state.applyFrame(draft('Again', 'cancelled'));
    expect(state.draft('c1')).toBeUndefined();
    state.applyFrame(draft('Done', 'done'));
    expect(state.draft('c1')?.text).toBe('Done');
    state.applyFrame(created(1, { metadata: { draft_id: 'd1' } }));
    expect(state.draft('c1')).toBeUndefined();
  });
});
