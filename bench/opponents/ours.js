import { client } from '../client.js';
import { each } from '../pace.js';
import { beginConversation, hireAgents, messageTarget, openDesk, startService } from '../service.js';

/**
 * The service as in production: authentication, validation, scope, limits, durable commits, the event log, one view per
 * audience. Rate limits are counted, with limits that the load does not reach.
 */

const RATES = ['agent', 'reports', 'api_key', 'sso_ticket', 'visitor', 'visitor_message', 'widget_session', 'handshake']
  .map(name => `${name}=900000000/60`)
  .join(',');

/** Tokens are replaced after this time; access tokens last a quarter of an hour. */
const TOKENS_MS = 10 * 60_000;
/** Sockets per agent; a principal may have at most 20. */
const SOCKETS_EACH = 15;
/** Visitor sockets per conversation; the other sockets are agents'. */
const PAGES = 2;

export default {
  id: 'ours',
  name: 'ours',
  durable: true,
  absent: () => null,
  /** @param name of its database: two measured servers must not receive each other's messages */
  async start({ postgres, folder, desks }, { env = {}, entry, name = 'ours' } = {}) {
    const { url } = await postgres.database(name);
    const server = await startService(
      folder,
      { DATABASE_URL: url, RATE_LIMITS: RATES, SOCKETS_PER_ADDRESS: '1000000', ...env },
      entry,
    );
    return {
      ...server,
      pids: [server.pid],
      stage: async wants => {
        desks[name] ??= new Desk();
        return desks[name].stage(server.port, wants);
      },
    };
  },
};

/** Workspace with agents and conversations; kept between scenarios, like the database. */
export class Desk {
  agents = [];
  hiredAt = 0;
  conversations = [];

  async stage(port, { conversations = 0, listenersEach = 0, inbox = 0, renewed = false }) {
    const { made, close } = client(port, { sockets: 16 });
    try {
      this.desk ??= await openDesk(made);
      const perRoom = Math.max(0, listenersEach - PAGES);
      await this.hire(made, Math.max(inbox, Math.ceil((conversations * perRoom) / SOCKETS_EACH), 10), renewed);
      const missing = Math.max(0, conversations - this.conversations.length);
      this.conversations.push(
        ...(await each(Array(missing).fill(), 16, () => beginConversation(made, this.desk.widgetToken))),
      );
      let turn = 0;
      const agent = () => this.agents[turn++ % this.agents.length];
      return {
        key: this.desk.key,
        conversations: this.conversations.slice(0, conversations).map(({ id, visitor }) => ({
          id,
          send: messageTarget(id, agent()),
          sockets: Array.from({ length: listenersEach }, (_, index) =>
            index < PAGES
              ? { path: `/ws/visitor?token=${visitor}&conv=${id}`, ready: '"connected"' }
              : { path: `/ws/agent?token=${agent()}&room=${id}`, ready: '"connected"' },
          ),
        })),
        inbox: this.agents
          .slice(0, inbox)
          .map(token => ({ path: `/ws/agent?token=${token}&room=inbox`, ready: '"connected"' })),
      };
    } finally {
      close();
    }
  }

  /** Ensures `count` agents with fresh enough tokens; `renewed` replaces all tokens now. */
  async hire(made, count, renewed) {
    const { key } = this.desk;
    if (this.agents.length > 0 && (renewed || performance.now() - this.hiredAt > TOKENS_MS)) {
      this.agents = await each(this.agents, 16, async (_, index) => {
        return (await made('POST', '/v1/auth/agent-token', { email: `agent-${index}@example.com` }, key)).token;
      });
      this.hiredAt = performance.now();
    }
    if (this.agents.length === 0) this.hiredAt = performance.now();
    const { length } = this.agents;
    if (length < count) this.agents.push(...(await hireAgents(made, key, count - length, length)));
  }
}
