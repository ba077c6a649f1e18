import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/json.js';
import type { OutsideDesk } from '../../support/outside.js';
import { callApi } from '../../support/outside.js';
import { jwt } from '../../support/tokens.js';

/** Time (ms) after which something that has not happened will not happen, also on a slow machine. */
export const PATIENCE_MS = 60_000;

/** The service as agents reach it. */
export interface AgentSide {
  readonly url: string;
  openDesk(): Promise<OutsideDesk>;
}

/** A company with a channel and an agent, who works through the API. */
export class Company {
  private constructor(
    private readonly service: AgentSide,
    readonly desk: OutsideDesk,
  ) {}

  /** @param channel fields of the channel, such as `widget_config` */
  static async open(service: AgentSide, channel: Json = {}): Promise<Company> {
    const company = new Company(service, await service.openDesk());
    if (Object.keys(channel).length > 0) await company.call('PATCH', `/v1/channels/${company.desk.channelId}`, channel);
    return company;
  }

  get widgetToken(): string {
    return this.desk.widgetToken;
  }

  /** Calls the API as the agent. @returns `data` */
  call(method: string, path: string, body?: unknown): Promise<Json> {
    return callApi(method, `${this.service.url}${path}`, this.desk.token, body);
  }

  async conversations(): Promise<Json[]> {
    return (await this.call('GET', '/v1/conversations')).items;
  }

  /** The conversation, once the service has it. */
  conversation(): Promise<Json> {
    return eventually(async () => (await this.conversations())[0], PATIENCE_MS);
  }

  /** Contents of the visitor's messages in their order, as the service has them. */
  async received(): Promise<string[]> {
    const { id } = await this.conversation();
    const { items } = await this.call('GET', `/v1/conversations/${id}/messages?limit=200`);
    return (items as Json[]).filter(({ sender_type }) => sender_type === 'contact').map(({ content }) => content);
  }

  /** Answers in the only conversation. */
  async answer(content: string): Promise<Json> {
    const { id } = await this.conversation();
    return this.call('POST', `/v1/conversations/${id}/messages`, { content });
  }

  async resolve(): Promise<void> {
    const { id } = await this.conversation();
    await this.call('POST', `/v1/conversations/${id}/resolve`);
  }

  /** Gives the channel a new secret. @returns a function that signs the identity of the company's users */
  async identities(): Promise<(externalId: string) => { externalId: string; identityToken: string }> {
    const path = `/v1/channels/${this.desk.channelId}/rotate-identity-secret`;
    const { identity_secret } = await this.call('POST', path);
    return externalId => ({
      externalId,
      identityToken: jwt({ sub: externalId, exp: Math.floor(Date.now() / 1000) + 3600 }, identity_secret),
    });
  }
}
