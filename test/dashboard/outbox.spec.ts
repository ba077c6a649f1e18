import { describe, expect, it } from '@jest/globals';
import { ApiError, type AgentClient, type AgentMessageBody, type MessageView } from '@support-chat/sdk';
import { Outbox } from '../../clients/dashboard/src/desk/outbox.js';
import type { OutboxStorage } from '../../clients/dashboard/src/desk/unsent-messages.js';
import { Store } from '../../clients/dashboard/src/store/store.js';
import { eventually } from '../support/eventually.js';

const MEMBER = 'm1';

class Memory implements OutboxStorage {
  readonly items = new Map<string, string>();
  getItem = (key: string) => this.items.get(key) ?? null;
  setItem = (key: string, value: string) => void this.items.set(key, value);
  removeItem = (key: string) => void this.items.delete(key);
}

const message = (fields: Partial<MessageView>) =>
  ({ id: 'x', conversation_id: 'c1', seq: 1, sender_type: 'agent', sender_id: MEMBER, ...fields }) as MessageView;

/** A service that answers sends one after the other, and remembers them. */
class Service {
  readonly sent: AgentMessageBody[] = [];
  answers: (ApiError | undefined)[] = [];
  since: MessageView[] = [];
  beforeAnswer: (body: AgentMessageBody) => void = () => undefined;

  readonly agent = {
    conversations: {
      send: async (conversationId: string, body: AgentMessageBody) => {
        this.sent.push(body);
        this.beforeAnswer(body);
        const answer = this.answers.shift();
        if (answer) throw answer;
        return message({ conversation_id: conversationId, client_message_id: body.client_message_id ?? null });
      },
      messages: async () => ({ items: this.since, next_cursor: null }),
    },
  } as unknown as AgentClient;
}

function play(storage = new Memory()) {
  const service = new Service();
  const store = new Store(MEMBER);
  const outbox = new Outbox(service.agent, store, MEMBER, storage);
  const pending = () => store.pending.all();
  return { service, store, outbox, storage, pending };
}

const error = (status: number, code: string) => new ApiError({ status, code, message: code });

describe('The outbox of the dashboard', () => {
  it('A message is shown at once, and no longer when the service has it.', async () => {
    const { service, outbox, pending, storage } = play();
    outbox.send('c1', { content: 'Hello' });
    expect(pending().map(({ body }) => body.content)).toEqual(['Hello']);
    await eventually(async () => pending().length === 0 || undefined);
    expect(service.sent).toEqual([{ content: 'Hello', client_message_id: expect.any(String) }]);
    expect(storage.items.size).toBe(0);
  });

  it('It settles when the messages on their way are sent, and does not wait for the connection.', async () => {
    const { service, outbox, pending } = play();
    await outbox.settle('c1');
    outbox.send('c1', { content: 'one' });
    outbox.send('c1', { content: 'two' });
    await outbox.settle('c1');
    expect(pending()).toEqual([]);
    service.answers = [error(0, 'network_error')];
    outbox.send('c1', { content: 'three' });
    await outbox.settle('c1');
    expect(pending().map(({ body }) => body.content)).toEqual(['three']);
    outbox.work();
    await outbox.settle('c1');
    expect(pending()).toEqual([]);
    outbox.close();
  });

  it('Messages of one conversation are sent one after the other, and a refused one does not stop the next.', async () => {
    const { service, outbox, pending } = play();
    service.answers = [error(400, 'content_required')];
    outbox.send('c1', { content: 'refused' });
    outbox.send('c1', { content: 'accepted' });
    await eventually(async () => service.sent.length === 2 || undefined);
    await eventually(async () => pending().length === 1 || undefined);
    expect(pending()[0]).toMatchObject({ body: { content: 'refused' }, error: { code: 'content_required' } });
    expect(service.sent.map(({ content }) => content)).toEqual(['refused', 'accepted']);
  });

  it('A message without an answer waits, and is sent again with the same id.', async () => {
    const { service, outbox, pending } = play();
    service.answers = [error(0, 'network_error')];
    outbox.send('c1', { content: 'Hello' });
    await eventually(async () => service.sent.length === 1 || undefined);
    expect(pending()).toHaveLength(1);
    expect(pending()[0]?.error).toBeUndefined();
    await eventually(async () => {
      outbox.work();
      return pending().length === 0 || undefined;
    });
    expect(new Set(service.sent.map(body => body.client_message_id)).size).toBe(1);
  });

  it('A message whose response is lost is finished by its frame, and nothing of it is kept.', async () => {
    const { service, store, outbox, pending, storage } = play();
    let followUps = 0;
    service.answers = [error(0, 'network_error')];
    outbox.send('c1', { content: 'Hello' }, [], () => (followUps += 1));
    await eventually(async () => service.sent.length === 1 || undefined);
    await outbox.settle('c1');
    expect([pending().length, storage.items.size, followUps]).toEqual([1, 1, 0]);
    const frame = message({ client_message_id: service.sent[0]?.client_message_id ?? null });
    store.applyMessage(frame);
    store.applyMessage(frame);
    expect([pending().length, storage.items.size, followUps]).toEqual([0, 0, 1]);
    outbox.close();
  });

  it.each([
    ['lost', error(0, 'network_error')],
    ['a refusal', error(403, 'forbidden')],
  ])('A message that its frame confirms is not shown again if the response is %s.', async (_response, failure) => {
    const { service, store, outbox, pending, storage } = play();
    service.answers = [failure];
    service.beforeAnswer = body => store.applyMessage(message({ client_message_id: body.client_message_id ?? null }));
    outbox.send('c1', { content: 'Hello' });
    await outbox.settle('c1');
    expect([service.sent.length, pending().length, storage.items.size]).toEqual([1, 0, 0]);
    outbox.close();
  });

  it('An unsent message survives a reload, and a discarded one does not.', async () => {
    const storage = new Memory();
    const before = play(storage);
    before.service.answers = [error(0, 'network_error'), error(0, 'network_error')];
    before.outbox.send('c1', { content: 'kept' });
    before.outbox.send('c2', { content: 'discarded' });
    const [, discarded] = before.pending();
    if (discarded) before.outbox.discard(discarded);
    before.outbox.close();

    const after = play(storage);
    after.outbox.open();
    await eventually(async () => after.service.sent.length > 0 || undefined);
    expect(after.service.sent.map(({ content }) => content)).toEqual(['kept']);
    expect(after.service.sent[0]?.client_message_id).toBe(before.service.sent[0]?.client_message_id);
  });

  it('A tab that has sent its messages leaves those of another tab for a reload.', async () => {
    const storage = new Memory();
    const [waiting, quick] = [play(storage), play(storage)];
    waiting.service.answers = [error(0, 'network_error')];
    waiting.outbox.send('c1', { content: 'waits' });
    quick.outbox.send('c2', { content: 'sent' });
    await eventually(async () => quick.pending().length === 0 || undefined);
    waiting.outbox.close();

    const after = play(storage);
    after.outbox.open();
    await eventually(async () => after.service.sent.length > 0 || undefined);
    expect(after.service.sent.map(({ content }) => content)).toEqual(['waits']);
  });

  it('An answer of a colleague stops a reply until it is sent anyway.', async () => {
    const { service, outbox, pending } = play();
    service.answers = [error(409, 'conversation_moved')];
    service.since = [message({ id: 'y', seq: 5, sender_id: 'm2', content: 'I am on it' })];
    outbox.send('c1', { content: 'Hello', expected_last_seq: 4 });
    const [stopped] = await eventually(async () => (pending()[0]?.error ? pending() : undefined));
    expect(service.sent).toHaveLength(1);
    if (stopped) outbox.retry(stopped);
    await eventually(async () => pending().length === 0 || undefined);
    expect(service.sent[1]).not.toHaveProperty('expected_last_seq');
  });

  it('Another line of the contact does not stop a reply.', async () => {
    const { service, outbox, pending } = play();
    service.answers = [error(409, 'conversation_moved')];
    service.since = [message({ id: 'y', seq: 5, sender_type: 'contact', sender_id: 'p1', content: 'Hello?' })];
    outbox.send('c1', { content: 'Good morning', expected_last_seq: 4 });
    await eventually(async () => pending().length === 0 || undefined);
    expect(service.sent.map(body => body.expected_last_seq)).toEqual([4, 5]);
  });
});
