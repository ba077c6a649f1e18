import type { Json } from '../support/json.js';
import { unique } from '../support/world.js';
import type { RequestSpec } from './client.js';
import type { Channel, FaultyDesk } from './desk.js';
import type { Scene } from './fault.js';
import type { Operation } from './history.js';

/** A conversation that a test goes on with as the contact. */
export interface Talk {
  conversationId: string;
  token: string;
  channel: Channel;
  mark: string;
}

/** The backend of a workspace with its API key. Repeats each request until a response decides it. */
export class Backend {
  constructor(
    private readonly scene: Pick<Scene, 'crowd' | 'random'>,
    readonly desk: FaultyDesk,
  ) {}

  /** @returns the data of the response @throws Error if the request is refused */
  async must(method: string, path: string, body?: object, token?: string): Promise<Json> {
    const operation = await this.request(method, path, body, token);
    if (operation.outcome !== 'ok') throw new Error(`${method} ${path} was answered ${operation.status}`);
    return this.scene.crowd.dataOf(operation);
  }

  request(method: string, path: string, body?: object, token = this.desk.key): Promise<Operation> {
    const { crowd, random } = this.scene;
    const headers = { 'Idempotency-Key': unique('backend') };
    const spec: RequestSpec = { method, path: `/v1${path}`, token, headers, ...(body ? { body } : {}) };
    const draft = { kind: 'change' as const, actor: `${this.desk.mark} backend`, workspaceId: this.desk.workspaceId };
    return crowd.performUntilAnswered(spec, draft, random);
  }

  /** Opens a conversation of a new contact. @param mark of the contact @returns its id */
  async openConversation(channel: Channel, mark: string, contact: object = {}): Promise<string> {
    return (await this.openTalk(channel, mark, contact)).conversationId;
  }

  /** Opens a conversation of a new contact, which goes on talking. @param mark of the contact */
  async openTalk(channel: Channel, mark: string, contact: object = {}): Promise<Talk> {
    const { crowd, random } = this.scene;
    const { workspaceId } = this.desk;
    const session = await this.must('POST', '/widget/session', { widget_token: channel.widgetToken, ...contact }, '');
    const content = crowd.textOf(this.desk, { channel, mark });
    const message = { content, client_message_id: content };
    const spec = { method: 'POST', path: '/v1/widget/conversations', token: session.visitor_token, body: { message } };
    const draft = { kind: 'send' as const, actor: `${this.desk.mark} ${mark}`, workspaceId, key: content, content };
    const operation = await crowd.performUntilAnswered(spec, draft, random);
    if (operation.outcome !== 'ok') throw new Error(`a conversation was refused with ${operation.status}`);
    const conversationId: string = crowd.dataOf(operation).conversation.id;
    return { conversationId, token: session.visitor_token, channel, mark };
  }

  /** Sends a message as the contact. */
  writeAsContact({ conversationId, token, channel, mark }: Talk): Promise<void> {
    const content = this.scene.crowd.textOf(this.desk, { channel, mark });
    return this.send(`/widget/conversations/${conversationId}/messages`, token, mark, conversationId, { content });
  }

  /** Answers the contact as the owner. */
  answer(conversationId: string, channel: Channel, mark: string): Promise<void> {
    const { key, owner } = this.desk;
    const content = this.scene.crowd.textOf(this.desk, { channel, mark });
    const body = { content, member_id: owner.memberId };
    return this.send(`/conversations/${conversationId}/messages`, key, 'backend', conversationId, body);
  }

  /** @param sender its name within the desk @throws Error if the message is refused */
  private async send(
    path: string,
    token: string,
    sender: string,
    conversationId: string,
    body: { content: string; member_id?: string },
  ): Promise<void> {
    const { crowd, random } = this.scene;
    const { mark, workspaceId } = this.desk;
    const { content } = body;
    const spec = { method: 'POST', path: `/v1${path}`, token, body: { ...body, client_message_id: content } };
    const draft = { kind: 'send' as const, actor: `${mark} ${sender}`, workspaceId, conversationId };
    const { outcome, status } = await crowd.performUntilAnswered(spec, { ...draft, key: content, content }, random);
    if (outcome !== 'ok') throw new Error(`a message was refused with ${status}`);
  }
}
