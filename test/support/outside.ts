import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import { eventually } from './eventually.js';
import type { Json } from './json.js';
import { call } from './service-process.js';
import { PASSWORD, unique } from './world.js';

/** A desk of a service that is known by its address alone. */
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

/** @throws what the service answered instead */
export async function ask(method: string, url: string, token?: string, body?: unknown): Promise<Json> {
  const answer = await call(method, url, { ...(token && { token }), ...(body === undefined ? {} : { body }) });
  if (!answer.body?.ok) throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

export async function openDesk(url: string): Promise<OutsideDesk> {
  const email = `${unique('owner')}@example.com`;
  const owner = { workspace_name: 'Desk', name: 'Olivia Owner', email, password: PASSWORD };
  const { token, refresh_token, workspace, member } = await ask('POST', `${url}/v1/auth/register`, undefined, owner);
  const [channel] = (await ask('GET', `${url}/v1/channels`, token)).items;
  const { key } = await ask('POST', `${url}/v1/api-keys`, token, { name: 'backend' });
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

/** A visitor's token, and the conversation that it has begun. */
export async function beginTalk(url: string, desk: OutsideDesk): Promise<{ token: string; conversationId: string }> {
  const session = await ask('POST', `${url}/v1/widget/session`, undefined, { widget_token: desk.widgetToken });
  const token = session.visitor_token as string;
  const begun = await ask('POST', `${url}/v1/widget/conversations`, token, { message: { content: 'Hello?' } });
  return { token, conversationId: begun.conversation.id };
}

/** Who listens, and, when its socket ends in a way that says so, comes back and resumes where it was. */
export class Listener {
  /** Durable frames, each once, in the order in which they came first. */
  readonly events: Json[] = [];
  /** Every frame of every socket. */
  readonly frames: Json[] = [];
  /** How each socket ended, and when. */
  readonly ends: { code: number; at: number }[] = [];
  /** Statuses of handshakes that were refused; 0 where nobody answered. */
  readonly refusals: number[] = [];
  private readonly ids = new Set<string>();
  private cursor: string | null = null;
  private ws: WebSocket | undefined;
  private over = false;

  private constructor(private readonly address: () => string) {}

  /** @param address of the next socket, with its token; `after` is added */
  static async open(address: string | (() => string)): Promise<Listener> {
    const listener = new Listener(typeof address === 'string' ? () => address : address);
    listener.connect();
    await listener.heard(({ type }) => type === 'connected');
    return listener;
  }

  static agent(url: string, token: string): Promise<Listener> {
    return Listener.open(`${url.replace('http', 'ws')}/ws/agent?token=${token}`);
  }

  static visitor(url: string, token: string): Promise<Listener> {
    return Listener.open(`${url.replace('http', 'ws')}/ws/visitor?token=${token}`);
  }

  /** Whether its socket is open now. */
  get isOpen(): boolean {
    return this.ws?.readyState === WebSocket.OPEN;
  }

  send(frame: object): void {
    this.ws?.send(JSON.stringify(frame));
  }

  heard(accepts: (frame: Json) => boolean, ms = 10_000): Promise<Json> {
    return eventually(() => this.frames.find(accepts), ms).catch(() => {
      throw new Error(`nothing of it within ${ms} ms; ${this.story()}`);
    });
  }

  /** Contents of the messages that it has heard of, in order. */
  messages(conversationId?: string): string[] {
    return this.events
      .filter(
        ({ type, conversation_id }) =>
          type === 'message.created' && (conversationId ?? conversation_id) === conversation_id,
      )
      .map(({ data }) => data.message.content as string);
  }

  /** What has become of it, for a test that fails. */
  story(): string {
    const { ends, refusals, frames } = this;
    const turns = frames.filter(({ type }) =>
      ['connected', 'resumed', 'sync.required', 'error'].includes(type as string),
    );
    return JSON.stringify({ ends, refusals, turns, last: frames.at(-1) });
  }

  /** As if the network went away under it; it comes back. */
  cut(): void {
    this.ws?.terminate();
  }

  close(): void {
    this.over = true;
    this.ws?.terminate();
  }

  private connect(): void {
    const resume = this.cursor === null ? '' : `&after=${this.cursor}`;
    const ws = new WebSocket(`${this.address()}${resume}`);
    this.ws = ws;
    ws.on('message', (data: Buffer) => this.take(JSON.parse(data.toString()) as Json));
    let status: number | null = 0;
    ws.on('open', () => (status = null));
    ws.on('unexpected-response', (_asked, answer) => {
      status = answer.statusCode ?? 0;
      ws.terminate();
    });
    ws.on('error', () => undefined);
    ws.on('close', code => {
      if (status === null) this.ends.push({ code, at: performance.now() });
      else this.refusals.push(status);
      if (!this.over && code < 4500) setTimeout(() => this.over || this.connect(), 100);
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

/** Sends until it is acknowledged, as a client does: after a refusal it waits as told, after silence it asks again. */
export async function sendSurely(
  url: () => string,
  talk: { token: string; conversationId: string },
  content: string,
  refused: (status: number, retryAfter: string | null, code: string | undefined) => void,
): Promise<Json> {
  const body = { content, client_message_id: randomUUID() };
  for (;;) {
    const path = `${url()}/v1/widget/conversations/${talk.conversationId}/messages`;
    const answer = await call('POST', path, { token: talk.token, body }).catch(() => null);
    if (answer?.body?.ok) return answer.body.data;
    const retryAfter = answer?.headers.get('retry-after') ?? null;
    refused(answer?.status ?? 0, retryAfter, answer?.body?.error?.code);
    await new Promise(resolve => setTimeout(resolve, Number(retryAfter ?? 0.1) * 1_000));
  }
}
