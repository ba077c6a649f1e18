import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import { eventually } from './eventually.js';
import type { Json } from './json.js';
import { call } from './service-process.js';
import { PASSWORD, unique } from './unique.js';

/** A workspace on a service that is known only by its URL. */
export interface OutsideDesk {
  token: string;
  refreshToken: string;
  email: string;
  workspaceId: string;
  memberId: string;
  channelId: string;
  widgetToken: string;
  key: string;
}

/** Calls the API and returns `data`. @throws Error with the response if it is not ok */
export async function callApi(method: string, url: string, token?: string, body?: unknown): Promise<Json> {
  const answer = await call(method, url, { ...(token && { token }), ...(body === undefined ? {} : { body }) });
  if (!answer.body?.ok) throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

export async function openDesk(url: string): Promise<OutsideDesk> {
  const email = `${unique('owner')}@example.com`;
  const owner = { workspace_name: 'Desk', name: 'Olivia Owner', email, password: PASSWORD };
  const { token, refresh_token, workspace, member } = await callApi(
    'POST',
    `${url}/v1/auth/register`,
    undefined,
    owner,
  );
  const [channel] = (await callApi('GET', `${url}/v1/channels`, token)).items;
  const { key } = await callApi('POST', `${url}/v1/api-keys`, token, { name: 'backend' });
  return {
    token,
    refreshToken: refresh_token,
    email,
    workspaceId: workspace.id,
    memberId: member.id,
    channelId: channel.id,
    widgetToken: channel.widget_token,
    key,
  };
}

/** Opens a visitor session and starts a conversation. */
export async function beginConversation(
  url: string,
  desk: OutsideDesk,
): Promise<{ token: string; conversationId: string }> {
  const session = await callApi('POST', `${url}/v1/widget/session`, undefined, { widget_token: desk.widgetToken });
  const token = session.visitor_token as string;
  const begun = await callApi('POST', `${url}/v1/widget/conversations`, token, { message: { content: 'Hello?' } });
  return { token, conversationId: begun.conversation.id };
}

/** A socket client that reconnects and resumes from its cursor whenever its close code allows. */
export class ResumingListener {
  /** Durable frames without duplicates, in order of first arrival. */
  readonly events: Json[] = [];
  /** Every frame of every socket. */
  readonly frames: Json[] = [];
  /** Close code and time of each socket. */
  readonly ends: { code: number; at: number }[] = [];
  /** Statuses of refused handshakes; 0 if nobody answered. */
  readonly refusals: number[] = [];
  private readonly ids = new Set<string>();
  private cursor: string | null = null;
  private ws: WebSocket | undefined;
  private isClosed = false;

  private constructor(private readonly address: () => string) {}

  /** @param address URL of the next socket with its token; the client adds `after` */
  static async open(address: string | (() => string)): Promise<ResumingListener> {
    const listener = new ResumingListener(typeof address === 'string' ? () => address : address);
    listener.connect();
    await listener.waitForFrame(({ type }) => type === 'connected');
    return listener;
  }

  static agent(url: string, token: string): Promise<ResumingListener> {
    return ResumingListener.open(`${url.replace('http', 'ws')}/ws/agent?token=${token}`);
  }

  static visitor(url: string, token: string): Promise<ResumingListener> {
    return ResumingListener.open(`${url.replace('http', 'ws')}/ws/visitor?token=${token}`);
  }

  get isOpen(): boolean {
    return this.ws?.readyState === WebSocket.OPEN;
  }

  send(frame: object): void {
    this.ws?.send(JSON.stringify(frame));
  }

  waitForFrame(accepts: (frame: Json) => boolean, ms = 10_000): Promise<Json> {
    return eventually(() => this.frames.find(accepts), ms).catch(() => {
      throw new Error(`no such frame within ${ms} ms; ${this.describeState()}`);
    });
  }

  /** Contents of the messages received, in order. */
  messages(conversationId?: string): string[] {
    return this.events
      .filter(
        ({ type, conversation_id }) =>
          type === 'message.created' && (conversationId ?? conversation_id) === conversation_id,
      )
      .map(({ data }) => data.message.content as string);
  }

  /** Describes the client's history, for the message of a failing test. */
  describeState(): string {
    const { ends, refusals, frames } = this;
    const turningPoints = frames.filter(({ type }) =>
      ['connected', 'resumed', 'sync.required', 'error'].includes(type as string),
    );
    return JSON.stringify({ ends, refusals, turns: turningPoints, last: frames.at(-1) });
  }

  /** Drops the connection as a network failure would. The client reconnects. */
  cut(): void {
    this.ws?.terminate();
  }

  close(): void {
    this.isClosed = true;
    this.ws?.terminate();
  }

  private connect(): void {
    const resume = this.cursor === null ? '' : `&after=${this.cursor}`;
    const ws = new WebSocket(`${this.address()}${resume}`);
    this.ws = ws;
    ws.on('message', (data: Buffer) => this.take(JSON.parse(data.toString()) as Json));
    let status: number | null = 0;
    ws.on('open', () => (status = null));
    ws.on('unexpected-response', (_request, answer) => {
      status = answer.statusCode ?? 0;
      ws.terminate();
    });
    ws.on('error', () => undefined);
    ws.on('close', code => {
      if (status === null) this.ends.push({ code, at: performance.now() });
      else this.refusals.push(status);
      if (!this.isClosed && code < 4500) setTimeout(() => this.isClosed || this.connect(), 100);
    });
  }

  private take(frame: Json): void {
    this.frames.push(frame);
    if (frame.type === 'connected' && this.cursor === null) this.cursor = frame.data.cursor;
    if (frame.type === 'resumed') this.cursor = frame.data.to;
    if (frame.cursor) this.cursor = frame.cursor;
    if (!frame.id || this.ids.has(frame.id)) return;
    this.ids.add(frame.id);
    this.events.push(frame);
  }
}

/** Sends until accepted, as a client does: waits for Retry-After after a refusal and retries if nobody answers. */
export async function sendUntilAccepted(
  url: () => string,
  conversation: { token: string; conversationId: string },
  content: string,
  refused: (status: number, retryAfter: string | null, code: string | undefined) => void,
): Promise<Json> {
  const body = { content, client_message_id: randomUUID() };
  for (;;) {
    const path = `${url()}/v1/widget/conversations/${conversation.conversationId}/messages`;
    const answer = await call('POST', path, { token: conversation.token, body }).catch(() => null);
    if (answer?.body?.ok) return answer.body.data;
    const retryAfter = answer?.headers.get('retry-after') ?? null;
    refused(answer?.status ?? 0, retryAfter, answer?.body?.error?.code);
    await new Promise(resolve => setTimeout(resolve, Number(retryAfter ?? 0.1) * 1_000));
  }
}
