import type { TestApp } from './app.js';
import { startApp } from './app.js';
import { Contract } from './contract.js';
import { Caller } from './http.js';
import type { Json } from './json.js';
import { TestSocket } from './socket.js';
import { PASSWORD, unique } from './unique.js';
import { WorkspaceTemplate } from './workspace-template.js';

export { PASSWORD, unique };

export interface Agent {
  api: Caller;
  token: string;
  refreshToken: string;
  memberId: string;
  workspaceId: string;
  email: string;
}

/** A workspace with its owner and first channel. */
export interface Desk {
  owner: Agent;
  workspaceId: string;
  channelId: string;
  widgetToken: string;
}

export interface NewMember {
  role?: 'agent' | 'admin';
  channel_ids?: string[];
  name?: string;
}

export interface Visitor {
  api: Caller;
  token: string;
  contactId: string;
}

/** A running service and its users. Each test makes its own desk, so that a missing scope shows as a leak. */
export class World {
  readonly contract: Contract;
  readonly anyone: Caller;
  private template: Promise<WorkspaceTemplate> | undefined;

  private constructor(readonly app: TestApp) {
    this.contract = Contract.of(app.app);
    this.anyone = this.as(null);
  }

  static async start(...args: Parameters<typeof startApp>): Promise<World> {
    return new World(await startApp(...args));
  }

  /** @throws Error of the first frame, refusal or close code that the reference does not list */
  async stop(): Promise<void> {
    await this.app.stop();
    const [fault] = this.contract.faults.splice(0);
    if (fault) throw fault;
  }

  /** Calls with this token, or with none. */
  as(token: string | null): Caller {
    return new Caller(this.app, this.contract, token);
  }

  /** Makes a workspace as a copy of a registered one. It has no events from before. */
  async desk(): Promise<Desk> {
    if (this.app.clock.isMoved) return this.register();
    const email = `${unique('owner')}@example.com`;
    const template = await this.registered();
    const { token, refreshToken, memberId, ...workspace } = await template.copy(email, unique('Desk'));
    const owner = { api: this.as(token), token, refreshToken, memberId, workspaceId: workspace.workspaceId, email };
    return { owner, ...workspace };
  }

  private registered(): Promise<WorkspaceTemplate> {
    return (this.template ??= this.register().then(desk => WorkspaceTemplate.of(this.app, desk)));
  }

  /** Registers a workspace over HTTP: slower, but with its events. */
  async register(): Promise<Desk> {
    const email = `${unique('owner')}@example.com`;
    const session = await this.anyone.post('/v1/auth/register', {
      workspace_name: unique('Desk'),
      name: 'Olivia Owner',
      email,
      password: PASSWORD,
    });
    if (session.status !== 201) throw new Error(`registration failed: ${JSON.stringify(session.body)}`);
    const owner = this.agentOf(session.data, email);
    const [channel] = (await owner.api.get('/v1/channels')).data.items;
    return { owner, workspaceId: owner.workspaceId, channelId: channel.id, widgetToken: channel.widget_token };
  }

  /** The agent of an AgentSession response. */
  agentOf(session: Json, email: string): Agent {
    return {
      api: this.as(session.token),
      token: session.token,
      refreshToken: session.refresh_token,
      memberId: session.member.id,
      workspaceId: session.workspace.id,
      email,
    };
  }

  /** Creates an API key and returns a caller that uses it. */
  async apiKey(desk: Desk, body: Record<string, unknown> = {}): Promise<Caller> {
    const made = await desk.owner.api.post('/v1/api-keys', { name: unique('key'), ...body });
    return this.as(made.data.key);
  }

  /** Makes a member, signed in, as a copy of an owner. It has no events from before. */
  async colleague(desk: Desk, options: NewMember = {}): Promise<Agent> {
    if (this.app.clock.isMoved) return this.hire(desk, options);
    const { workspaceId } = desk;
    const email = `${unique('agent')}@example.com`;
    const columns = { name: 'Adam Agent', role: 'agent', channel_ids: null, ...options } as const;
    const member = await (await this.registered()).copyMember(workspaceId, email, columns);
    return { api: this.as(member.token), workspaceId, email, ...member };
  }

  /** Creates a member over HTTP with an API key, and signs in: slower, but with its events. */
  async hire(desk: Desk, options: NewMember = {}): Promise<Agent> {
    const key = await this.apiKey(desk);
    const email = `${unique('agent')}@example.com`;
    const made = await key.post('/v1/workspace/members', { name: 'Adam Agent', email, password: PASSWORD, ...options });
    if (made.status !== 201) throw new Error(`creating the colleague failed: ${JSON.stringify(made.body)}`);
    const session = await this.anyone.post('/v1/auth/login', { email, password: PASSWORD });
    return this.agentOf(session.data, email);
  }

  /** Creates another channel. */
  async channel(desk: Desk, body: Record<string, unknown> = {}): Promise<Json> {
    return (await desk.owner.api.post('/v1/channels', { name: unique('Channel'), ...body })).data;
  }

  /** Opens a widget session. */
  async visitor(desk: { widgetToken: string }, body: Record<string, unknown> = {}): Promise<Visitor> {
    const session = await this.anyone.post('/v1/widget/session', { widget_token: desk.widgetToken, ...body });
    if (session.status !== 200) throw new Error(`visitor session failed: ${JSON.stringify(session.body)}`);
    const token: string = session.data.visitor_token;
    return { api: this.as(token), token, contactId: session.data.contact_id };
  }

  /** Starts a conversation as the visitor. */
  async conversation(visitor: Visitor, content = 'Hello?'): Promise<Json> {
    const started = await visitor.api.post('/v1/widget/conversations', { message: { content } });
    if (started.status !== 201) throw new Error(`starting the conversation failed: ${JSON.stringify(started.body)}`);
    return started.data.conversation;
  }

  /** Opens a visitor's socket, for one conversation with `conv`, else for all of the contact's. */
  visitorSocket(
    visitor: Visitor,
    query: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<TestSocket> {
    return this.socket('visitor', { token: visitor.token, ...query }, headers);
  }

  agentSocket(agent: Agent, query: Record<string, string> = {}): Promise<TestSocket> {
    return this.socket('agent', { token: agent.token, ...query });
  }

  async socket(
    route: 'visitor' | 'agent',
    query: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<TestSocket> {
    const url = `${this.app.wsUrl}/ws/${route}?${new URLSearchParams(query).toString()}`;
    const socket = await TestSocket.open(url, route, this.contract, headers);
    if (query.reject !== 'close') await socket.next('connected');
    return socket;
  }
}
