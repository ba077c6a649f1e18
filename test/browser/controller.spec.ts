import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { VisitorClient } from '@support-chat/sdk';
import { ChatController } from '../../clients/widget/src/chat.js';
import type { Shell } from '../../clients/widget/src/seam.js';
import type { SafeStorage } from '../../clients/widget/src/loader/storage.js';
import { FakePage } from '../sdk/fake-page.js';
import { eventually } from '../support/eventually.js';
import { memoryStorage } from '../support/memory-storage.js';
import { ChatService } from './support/chat-service.js';
import { Company, PATIENCE_MS } from './support/company.js';

let service: ChatService;
let company: Company;
let storage: SafeStorage;
const opened: ChatController[] = [];

const page = new FakePage({ navigator: { onLine: true } });

beforeAll(async () => {
  service = await ChatService.start();
}, 240_000);
beforeEach(async () => {
  company = await Company.open(service);
  storage = memoryStorage();
});
afterEach(() => {
  for (const chat of opened.splice(0)) chat.shutdown();
});
afterAll(async () => {
  await service.stop();
  page.remove();
});

/** Opens the chat in another tab of the same browser. */
async function openChat(): Promise<ChatController> {
  const { widgetToken } = company;
  const baseUrl = service.url;
  const { widget_config: config } = await VisitorClient.config({ baseUrl, widgetToken });
  const nothing = (): void => undefined;
  const shell = { baseUrl, widgetToken, config, storage, panel: {}, options: {}, setUnread: nothing, emit: nothing };
  const chat = new ChatController(shell as unknown as Shell, { locale: 'en', entries: {} });
  opened.push(chat);
  return chat;
}

const id = (chat: ChatController) => eventually(() => chat.conversationId ?? undefined, PATIENCE_MS);
const texts = (chat: ChatController) => chat.thread?.messages.map(({ content }) => content) ?? [];
const shows = (chat: ChatController, expected: (string | null)[]) =>
  eventually(() => JSON.stringify(texts(chat)) === JSON.stringify(expected) || undefined, PATIENCE_MS);
const counts = (chat: ChatController, unread: number) =>
  eventually(() => chat.state.unread === unread || undefined, PATIENCE_MS);

async function answer(conversation: string, content: string): Promise<string> {
  return (await company.call('POST', `/v1/conversations/${conversation}/messages`, { content }))['id'] as string;
}

describe('The controller of the chat', () => {
  it('A message that is unsent before the visitor has read it does not count as unread', async () => {
    const chat = await openChat();
    chat.send('Hello', []);
    const conversation = await id(chat);
    const first = await answer(conversation, 'a');
    await answer(conversation, 'b');
    await counts(chat, 2);
    await company.call('DELETE', `/v1/conversations/${conversation}/messages/${first}`);
    await counts(chat, 1);
    await shows(chat, ['Hello', null, 'b']);
  });

  it('The list of conversations does not show the text of an unsent message', async () => {
    const chat = await openChat();
    chat.send('Hello', []);
    const conversation = await id(chat);
    const secret = await answer(conversation, 'secret');
    await eventually(() => chat.thread?.view.last_message?.preview === 'secret' || undefined, PATIENCE_MS);
    chat.state.markRead(conversation);
    await company.call('DELETE', `/v1/conversations/${conversation}/messages/${secret}`);
    await eventually(() => chat.thread?.view.last_message?.preview !== 'secret' || undefined, PATIENCE_MS);
  });

  it('Messages whose reading has failed are read again by themselves', async () => {
    const before = await openChat();
    before.send('Hello', []);
    await shows(before, ['Hello']);
    before.shutdown();
    jest.spyOn(VisitorClient.prototype, 'messages').mockRejectedValueOnce(new Error('The network is down.'));
    const chat = await openChat();
    chat.connection.connect();
    await shows(chat, ['Hello']);
  });

  it('A conversation that is not shown is read again after frames were missed', async () => {
    await company.call('PATCH', `/v1/channels/${company.desk.channelId}`, { single_conversation: false });
    const chat = await openChat();
    chat.send('one', []);
    const first = await id(chat);
    chat.newMessage();
    chat.send('two', []);
    await id(chat);
    await shows(chat, ['two']);
    chat.state.forgetMessages(first, Infinity);
    chat.state.applyMessages(first, { items: [], next_cursor: null });
    chat.connection.refresh();
    await eventually(() => chat.state.threads.get(first)?.older === undefined || undefined, PATIENCE_MS);
    chat.show({ name: 'thread', id: first });
    await shows(chat, ['one']);
  });

  it('A tab with a new conversation follows when another tab has sent its first message', async () => {
    const [chat, other] = [await openChat(), await openChat()];
    let send = (): void => undefined;
    const released = new Promise<void>(resolve => (send = resolve));
    const start = VisitorClient.prototype.startConversation;
    jest.spyOn(VisitorClient.prototype, 'startConversation').mockImplementationOnce(async function (
      this: VisitorClient,
      ...args
    ) {
      await released;
      return start.apply(this, args);
    });
    other.newMessage();
    chat.send('one', []);
    await eventually(() => chat.connection.state === 'connected' || undefined, PATIENCE_MS);
    other.followOtherTabs();
    await eventually(() => other.connection.state === 'connected' || undefined, PATIENCE_MS);
    other.setDraft('Half a sen');
    send();
    expect(await id(other)).toBe(await id(chat));
    expect(other.draft).toBe('Half a sen');
    await shows(other, ['one']);
  });

  it('A first message that was not sent is shown after a reload', async () => {
    jest.spyOn(VisitorClient.prototype, 'startConversation').mockRejectedValue(new Error('The network is down.'));
    const chat = await openChat();
    chat.send('one', []);
    chat.shutdown();
    const later = await openChat();
    expect(later.route).toEqual({ name: 'thread', id: null });
    expect(later.outbox.first.map(({ content }) => content)).toEqual(['one']);
  });
});
