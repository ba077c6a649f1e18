import { setTimeout as delay } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import { sendJson, StreamedReply } from '../../support/bot-server.js';
import type { Json } from '../../support/json.js';
import type { Received, WebhookReceiver } from '../../support/webhook-receiver.js';
import { isSigned } from '../../support/webhook-receiver.js';
import { Backend } from '../backend.js';
import { check } from '../checker.js';
import type { Channel, FaultyDesk } from '../desk.js';
import type { Fault, Scene } from '../fault.js';
import { killAt, startDead } from '../fault.js';
import type { Arrivals, WatchedBot } from '../history.js';
import { now } from '../history.js';
import type { Rule } from '../instance.js';
import { readDatabase, readLastPosition } from '../reading.js';
import type { CalledServers, StageOptions } from '../stage.js';

/** Conversations with the bot per desk, and further messages in each. */
const TALKS = ['v5', 'v6', 'v7'];
const MESSAGES = 3;
const KILLED_MS = 4_000;
/** Workers whose statements may be the last of an instance. */
const WORKERS = ['webhooks', 'bot_turns'];
/** Longer than an instance takes from a claimed lease in the database to its own memory. */
const CLAIMED_MS = 500;

const LEASES = `SELECT lease FROM webhook WHERE workspace_id = ANY($1) AND lease IS NOT NULL`;
/** As if the time of a lease were over. */
const END_LEASES = `UPDATE webhook SET leased_until = clock_timestamp() - interval '1 second' WHERE lease = ANY($1)`;

const WITH_SERVERS: StageOptions = { servers: true };

/** Contacts talk to bots, and all events go to a webhook, while the fault happens. */
const calling = (name: string, strike: (scene: Scene, work: () => Promise<void>) => Promise<void>): Fault => ({
  number: 'F30',
  name,
  stage: WITH_SERVERS,
  reusesStage: true,
  async inject(scene) {
    const { stage, crowd } = scene;
    if (!stage.servers) throw new Error('the stage has no servers');
    const { servers } = stage;
    forgetReceived(servers);
    const desks = await Promise.all(crowd.desks.map(desk => CallingDesk.open(scene, desk, servers)));
    answerBy(servers, desks);
    await strike(scene, () => Promise.all(desks.map(desk => desk.talk())).then(() => undefined));
    await startDead(stage);
    await endLeasesOfDead(scene);
    await Promise.all(desks.map(desk => desk.awaitLaterAnswers()));
    for (const end = now() + scene.waitMs; now() < end; await delay(200)) {
      const reading = await stage.database.with(client => readDatabase(client, crowd.workspaceIds));
      if (!check(crowd.history, reading).some(({ invariant }) => invariant === 'I23')) return;
    }
  },
});

const killed = (when: string, rule: Omit<Rule, 'action'>, passes: number): Fault =>
  calling(`an instance that calls servers is killed ${when}`, (scene, work) =>
    killAt(scene, { ...rule, after: Math.floor(scene.random() * passes) }, KILLED_MS, work),
  );

/** The kill of instances that call webhooks and bots, and servers that refuse. */
export const SERVER_FAULTS: readonly Fault[] = [
  killed('before it sends', { point: 'request' }, 40),
  killed('before it stores an answer', { point: 'requested' }, 40),
  killed('before a statement', { point: 'write', workers: WORKERS }, 40),
  killed('before COMMIT', { point: 'commit', workers: WORKERS }, 40),
  calling('both instances that call servers are killed', async ({ stage, random }, work) => {
    const working = work();
    working.catch(() => undefined);
    await delay(random() * 1_000);
    await Promise.all(stage.instances.map(instance => instance.kill()));
    await startDead(stage);
    await working;
  }),
  calling('an instance is killed while the servers are in trouble', async (scene, work) => {
    const { endpoint } = scene.stage.servers as CalledServers;
    const { respond } = endpoint;
    const refused = new Set<string>();
    endpoint.respond = async (delivery, response) => {
      const isFirst = !refused.has(delivery.id) && scene.random() < 0.3;
      refused.add(delivery.id);
      await respond(delivery, isFirst ? refusing(response) : response);
    };
    try {
      await killAt(scene, { point: 'requested', after: Math.floor(scene.random() * 40) }, KILLED_MS, work);
    } finally {
      endpoint.respond = respond;
    }
  }),
];

/** Answers 503 instead of what follows. */
function refusing(response: ServerResponse): ServerResponse {
  response.statusCode = 503;
  response.writeHead = () => response;
  return response;
}

/** Forgets the requests of earlier seeds on the same stage. */
function forgetReceived({ endpoint, bots }: CalledServers): void {
  for (const { received, unsigned } of [endpoint, bots.receiver]) {
    received.length = 0;
    unsigned.length = 0;
  }
}

/** Lets bots answer, each desk's its own. The endpoint of webhooks answers 200. */
function answerBy({ bots }: CalledServers, desks: readonly CallingDesk[]): void {
  bots.receiver.respond = (delivery, response) =>
    desks.find(({ desk }) => isFor(desk, delivery))?.answer(delivery, response);
}

/** Each desk has an address of its own. */
function isFor({ mark }: FaultyDesk, { path }: Received): boolean {
  return path.endsWith(`/${mark}`);
}

/** Lists the requests that a server has received for one desk, as they arrive. */
function arrivals({ received }: WebhookReceiver, desk: FaultyDesk, secret: string): Arrivals {
  const signed = new WeakSet<Received>();
  const own = () => received.filter(delivery => isFor(desk, delivery));
  const isUnsigned = (delivery: Received) => {
    if (signed.has(delivery)) return false;
    if (isSigned(secret, delivery)) signed.add(delivery);
    return !signed.has(delivery);
  };
  return {
    get received() {
      return own().map(({ id }) => id);
    },
    get unsigned() {
      return own().filter(isUnsigned).length;
    },
  };
}

type Plan = 'one' | 'two' | 'stream' | 'later' | 'handoff';

/** A workspace with a webhook for everything, and a bot that talks in a channel of its own. */
class CallingDesk {
  /** Answers by the API, by turn. */
  private readonly later = new Map<string, Promise<void>>();
  private readonly plans = new Map<string, Plan>();
  private readonly backend: Backend;

  private constructor(
    private readonly scene: Scene,
    readonly desk: FaultyDesk,
    private readonly bot: WatchedBot,
    private readonly channel: Channel,
  ) {
    this.backend = new Backend(scene, desk);
  }

  static async open(scene: Scene, desk: FaultyDesk, { endpoint, bots }: CalledServers): Promise<CallingDesk> {
    const backend = new Backend(scene, desk);
    const { mark, workspaceId } = desk;
    const draft = { url: `${endpoint.url}/${mark}`, events: ['*'], include_private: true };
    const hook = await backend.must('POST', '/webhooks', draft);
    const from = await scene.stage.database.with(readLastPosition);
    const webhook = Object.assign(arrivals(endpoint, desk, hook.secret as string), {
      id: hook.id as string,
      workspaceId,
      from,
    });
    const made = await backend.must('POST', '/bots', { name: 'Bot', webhook_url: `${bots.receiver.url}/${mark}` });
    const identity = { id: made.id as string, workspaceId, answers: new Map() };
    const bot = Object.assign(arrivals(bots.receiver, desk, made.secret as string), identity);
    const { id, widget_token: widgetToken } = await backend.must('POST', '/channels', { name: 'Bot' });
    await backend.must('PATCH', `/channels/${id}`, { routing: { bot_id: bot.id } });
    scene.crowd.history.webhooks.push(webhook);
    scene.crowd.history.bots.push(bot);
    return new CallingDesk(scene, desk, bot, { mark: 'c2', id, widgetToken });
  }

  /** Contacts write to the bot without waiting for its answers. */
  async talk(): Promise<void> {
    await Promise.all(
      TALKS.map(async mark => {
        const talk = await this.backend.openTalk(this.channel, mark);
        for (let sent = 0; sent < MESSAGES; sent += 1) {
          await delay(this.scene.random() * 300);
          await this.backend.writeAsContact(talk);
        }
      }),
    );
  }

  /** Waits for the messages that the bot sends by the API. */
  async awaitLaterAnswers(): Promise<void> {
    for (const answer of this.later.values()) await answer;
  }

  /** Answers an attempt of a turn as the attempt before, or refuses it. */
  async answer({ body, id }: Received, response: ServerResponse): Promise<void> {
    const { random } = this.scene;
    if (body.event !== 'message.created') return void response.writeHead(204).end();
    const isNew = !this.bot.answers.has(id);
    if (isNew) this.plan(id, body);
    await delay(random() * 150);
    if (isNew && random() < 0.15) return void response.writeHead(503).end();
    const plan = this.plans.get(id);
    const contents = this.bot.answers.get(id)?.contents ?? [];
    const messages = contents.map(content => ({ content }));
    if (plan === 'later') {
      response.writeHead(204).end();
      if (this.later.has(id)) return;
      const answer = this.answerLater(id, body, contents[0] ?? '');
      answer.catch(() => undefined);
      this.later.set(id, answer);
    } else if (plan === 'stream') await this.stream(response, contents);
    else sendJson(response, { messages, ...(plan === 'handoff' ? { action: { type: 'handoff' } } : {}) });
  }

  private plan(id: string, { conversation, message }: Json): void {
    const mark = String(message.content).split('.')[2] ?? '';
    const dice = this.scene.random();
    const last = conversation.last_seq > 3 * MESSAGES && dice < 0.3;
    const plan: Plan = last ? 'handoff' : dice < 0.5 ? 'one' : dice < 0.65 ? 'two' : dice < 0.85 ? 'stream' : 'later';
    const count = plan === 'two' || plan === 'stream' ? 2 : 1;
    const contents = Array.from({ length: count }, () =>
      this.scene.crowd.textOf(this.desk, { channel: this.channel, mark }),
    );
    this.plans.set(id, plan);
    this.bot.answers.set(id, { contents, isLater: plan === 'later' });
  }

  private async stream(response: ServerResponse, contents: readonly string[]): Promise<void> {
    const reply = new StreamedReply(response);
    for (const content of contents) {
      for (let end = 5; end < content.length; end += 10) {
        reply.send('delta', { text: content.slice(Math.max(0, end - 10), end) });
        await delay(this.scene.random() * 20);
      }
      reply.send('message', { content });
    }
    reply.end();
  }

  /** People may have taken over meanwhile: then it is refused. */
  private async answerLater(id: string, { conversation }: Json, content: string): Promise<void> {
    await delay(this.scene.random() * 300);
    const body = { content, bot_id: this.bot.id, client_message_id: `later-${id}` };
    const { outcome, status } = await this.backend.request('POST', `/conversations/${conversation.id}/messages`, body);
    if (outcome !== 'ok' && status !== 403) throw new Error(`a later answer was refused with ${status}`);
  }
}

/** Ends the leases that no living instance has, because a seed does not wait for a minute. */
async function endLeasesOfDead({ stage, crowd }: Scene): Promise<void> {
  const rows = await stage.database.with(
    async client => (await client.query<{ lease: string }>(LEASES, [crowd.workspaceIds])).rows,
  );
  await delay(CLAIMED_MS);
  const living = (await Promise.all(stage.instances.map(instance => instance.leases()))).flat();
  const dead = rows.map(({ lease }) => lease).filter(lease => !living.includes(lease));
  await stage.database.with(client => client.query(END_LEASES, [dead]));
}
