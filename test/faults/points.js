/**
 * Loaded before the service (`node --import`), from outside: places where it can be made to break, and ways to make it
 * wrong on purpose. The service itself has no such places, so there is nothing to switch on in production; told that it
 * is production, this file refuses to load.
 *
 * Takes orders from the parent process, `{id, order, …}`, and answers each with `{id, …}`.
 */
import 'reflect-metadata';
import { readdirSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import pg from 'pg';

if (process.env.NODE_ENV === 'production') throw new Error('fault points are for tests alone');

const dist = path => import(new URL(`../../dist/${path}`, import.meta.url).href);
const { MemoryFanout } = await dist('platform/fanout/fanout.memory.js');
const { RedisFanout } = await dist('platform/fanout/fanout.redis.js');
const { UnitOfWork } = await dist('platform/database/unit-of-work.js');

/** What is to happen at which point, and how many times it is still to be passed before. */
let armed = [];

/** @returns what is to happen now, if anything; armed for `times` passes, else for one */
function pass(point) {
  const rule = armed.find(candidate => candidate.point === point);
  if (!rule || rule.after-- > 0) return undefined;
  rule.times -= 1;
  if (rule.times <= 0) armed = armed.filter(other => other !== rule);
  else rule.after = rule.every ?? 0;
  if (rule.action === 'kill') process.kill(process.pid, 'SIGKILL');
  return rule;
}

/** Real errors of a real PostgreSQL, in place of the statement. */
const INSTEAD = {
  deadlock: `DO $$ BEGIN RAISE EXCEPTION 'planned' USING ERRCODE = '40P01'; END $$`,
  serialization: `DO $$ BEGIN RAISE EXCEPTION 'planned' USING ERRCODE = '40001'; END $$`,
  shutdown: 'SELECT pg_terminate_backend(pg_backend_pid())',
};
const WRITES = /\b(insert\s+into|update|delete\s+from)\b/i;

/** `write`: before a statement that writes. `commit`: before COMMIT is sent. */
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (asked, values, done) {
  const text = typeof asked === 'string' ? asked : (asked?.text ?? '');
  const rule = text === 'COMMIT' ? pass('commit') : WRITES.test(text) ? pass('write') : undefined;
  if (!rule) return query.call(this, asked, values, done);
  if (rule.action in INSTEAD) {
    const answered = typeof values === 'function' ? values : done;
    return query.call(this, INSTEAD[rule.action], answered);
  }
  return new Promise(resolve => setTimeout(resolve, rule.ms ?? 0)).then(() => query.call(this, asked, values, done));
};

/** `publish`: after COMMIT, before anybody is told. */
for (const fanout of [MemoryFanout, RedisFanout]) {
  const { publish } = fanout.prototype;
  fanout.prototype.publish = function (subject, body) {
    if (subject === 'events' && pass('publish')?.action === 'drop') return;
    publish.call(this, subject, body);
  };
}

/** `answer`: everything has happened and the caller is not told. */
const { end } = ServerResponse.prototype;
ServerResponse.prototype.end = function (...words) {
  const writes = this.req?.method !== 'GET' && this.statusCode < 300;
  if (writes && pass('answer')?.action === 'cut') {
    this.req.socket.destroy();
    return this;
  }
  return end.apply(this, words);
};

const RealDate = Date;
let shift = 0;
function jump(ms) {
  shift = ms;
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      super(...(given.length === 0 ? [RealDate.now() + shift] : given));
    }
    static now() {
      return RealDate.now() + shift;
    }
  };
}

/** Services that are wrong in one way, each of which the checker must see. `false` puts it right again. */
const MUTANTS = {
  /** What is not heard live is never heard. */
  async 'nobody reads the log'(on) {
    const { EventTail } = await dist('platform/events/event-tail.js');
    replace(EventTail.prototype, 'catchUp', on && (() => async () => undefined));
    armed = on ? [{ point: 'publish', action: 'drop', after: 3, every: 4, times: Infinity }] : [];
  },
  async 'client_message_id is ignored'(on) {
    const { MessageAppenderService } = await dist('modules/conversations/messages/message-appender.service.js');
    const { MessagesService } = await dist('modules/conversations/messages/messages.service.js');
    replace(MessagesService.prototype, 'findExisting', on && (() => async () => null));
    const nameless = append =>
      function (conversation, draft, actor) {
        return append.call(this, conversation, { ...draft, clientMessageId: null }, actor);
      };
    replace(MessageAppenderService.prototype, 'append', on && nameless);
  },
  async 'notes are told to visitors'(on) {
    const { EVENT_ROUTES } = await dist('modules/realtime/event-routes.js');
    const route = EVENT_ROUTES['message.created'];
    replace(route, 'visitor', on && (() => event => route.agents.data(event)));
  },
  /** Told while the transaction is still open, which then takes its time. */
  async 'events are told before their commit'(on) {
    replace(UnitOfWork.prototype, 'afterCommit', on && (() => hook => hook()));
    armed = on ? [{ point: 'commit', action: 'hold', ms: 200, after: 5, every: 5, times: Infinity }] : [];
  },
  async 'a ticket can be spent again'(on) {
    const { SsoTicketsRepository } = await dist('modules/sso/sso-tickets.repository.js');
    const spent = new Map();
    const again = spend =>
      async function (hash, at) {
        const ticket = (await spend.call(this, hash, at)) ?? spent.get(hash);
        if (ticket) spent.set(hash, ticket);
        return ticket;
      };
    replace(SsoTicketsRepository.prototype, 'spend', on && again);
  },
  async 'a key is looked up once and remembered'(on) {
    const { ApiKeysService } = await dist('modules/api-keys/api-keys.service.js');
    const known = new Map();
    const remembered = authenticate =>
      async function (key) {
        if (!known.has(key)) known.set(key, await authenticate.call(this, key));
        return known.get(key);
      };
    replace(ApiKeysService.prototype, 'authenticate', on && remembered);
  },
  /** A newcomer never displaces whoever came before it. */
  async 'passwords are hashed in order'(on) {
    const { FairConcurrencyQueue } = await dist('platform/limits/fair-concurrency-queue.js');
    const inOrder = () =>
      function (newcomer) {
        return newcomer ?? this.waiting.at(-1);
      };
    replace(FairConcurrencyQueue.prototype, 'heaviestWith', on && inOrder);
  },
  /** As it was once: the message is read where nobody catches what is thrown. */
  async 'what Redis sends is believed'(on) {
    const believing = () =>
      function (text) {
        const [from, subject, body] = JSON.parse(text);
        if (from === this.id) this.heardAt = performance.now();
        else if (subject !== '') this.own.publish(subject, body);
      };
    replace(RedisFanout.prototype, 'take', on && believing);
  },
  async 'nobody hears of an event before the horizon has passed it'(on) {
    const { EventTailRepository } = await dist('platform/events/event-tail.repository.js');
    const waiting = keys =>
      async function* (watermark, state) {
        for await (const page of keys.call(this, watermark, state)) {
          yield page.filter(({ xid }) => xid < state.snapshot.xmin);
        }
      };
    replace(EventTailRepository.prototype, 'keys', on && waiting);
  },
  async 'a log that was put back is taken for the same'(on) {
    const { EventTailRepository } = await dist('platform/events/event-tail.repository.js');
    const credulous = look =>
      async function (watermark) {
        const { xid, position, mark } = watermark.newest;
        return { ...(await look.call(this, watermark)), proof: { xid, position, id: mark } };
      };
    replace(EventTailRepository.prototype, 'look', on && credulous);
  },
};

const originals = new Map();
/** @param make given the original, answers what takes its place; false puts the original back */
function replace(owner, name, make) {
  const own = originals.get(owner) ?? {};
  originals.set(owner, own);
  own[name] ??= owner[name];
  owner[name] = make ? make(own[name]) : own[name];
}

const ORDERS = {
  arm: ({ rules }) => void (armed = rules.map(rule => ({ after: 0, times: 1, ...rule }))),
  mutate: ({ mutant, on }) => MUTANTS[mutant](on),
  jump: ({ ms }) => jump(ms),
  block({ ms }) {
    const until = performance.now() + ms;
    while (performance.now() < until);
  },
  resources() {
    globalThis.gc?.();
    return {
      heapMiB: Math.round(process.memoryUsage().heapUsed / 2 ** 20),
      descriptors: readdirSync('/proc/self/fd').length,
      timers: process.getActiveResourcesInfo().filter(name => name === 'Timeout').length,
    };
  },
};

process.on('message', async ({ id, order, ...more }) => {
  try {
    process.send({ id, ...(await ORDERS[order](more)) });
  } catch (error) {
    process.send({ id, fault: String(error) });
  }
});
process.channel?.unref();
