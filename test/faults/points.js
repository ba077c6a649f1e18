/**
 * Loaded into the service with `node --import`. Adds points where the service can be made to fail, and deliberate
 * defects. The service's code contains none of this, so production has nothing to switch on; in production this file
 * refuses to load.
 *
 * Takes orders `{id, order, …}` from the parent process and answers each with `{id, …}`.
 */
import 'reflect-metadata';
import { AsyncLocalStorage } from 'node:async_hooks';
import { readdirSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

if (process.env.NODE_ENV === 'production') throw new Error('fault points are for tests only');

const dist = path => import(new URL(`../../dist/${path}`, import.meta.url).href);
const { MemoryFanout } = await dist('platform/fanout/fanout.memory.js');
const { RedisFanout } = await dist('platform/fanout/fanout.redis.js');
const { UnitOfWork } = await dist('platform/database/unit-of-work.js');
const { DueWorker } = await dist('platform/jobs/due.worker.js');
const { LeasesRepository } = await dist('modules/webhooks/leases.repository.js');
const { WebhooksWorker } = await dist('modules/webhooks/webhooks.worker.js');
const { OutboundExchangeService } = await dist('platform/outbound/outbound-exchange.service.js');
const { SmtpMailer } = await dist('platform/mail/mailer.smtp.js');

/** Rules by point, each with the number of passes before it acts. */
let armed = [];

/** Name of the worker for due rows that works at the moment. */
const worker = new AsyncLocalStorage();
const { workOne } = DueWorker.prototype;
DueWorker.prototype.workOne = function (...args) {
  return worker.run(this.name, () => workOne.apply(this, args));
};

/** @returns the rule that acts at this pass, if any */
function pass(point) {
  const matches = ({ workers }) => workers === undefined || workers.includes(worker.getStore());
  const rule = armed.find(candidate => candidate.point === point && matches(candidate));
  if (!rule || rule.after-- > 0) return undefined;
  rule.times -= 1;
  if (rule.times <= 0) armed = armed.filter(other => other !== rule);
  else rule.after = rule.every ?? 0;
  if (rule.action === 'kill') process.kill(process.pid, 'SIGKILL');
  return rule;
}

/** Statements that raise a real error of PostgreSQL instead of running the given one. */
const INSTEAD = {
  deadlock: `DO $$ BEGIN RAISE EXCEPTION 'planned' USING ERRCODE = '40P01'; END $$`,
  serialization: `DO $$ BEGIN RAISE EXCEPTION 'planned' USING ERRCODE = '40001'; END $$`,
  shutdown: 'SELECT pg_terminate_backend(pg_backend_pid())',
};
const WRITES = /\b(insert\s+into|update|delete\s+from)\b/i;

/** `write`: before a writing statement. `commit`: before COMMIT is sent. */
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (statement, values, done) {
  const text = typeof statement === 'string' ? statement : (statement?.text ?? '');
  const rule = text === 'COMMIT' ? pass('commit') : WRITES.test(text) ? pass('write') : undefined;
  if (!rule) return query.call(this, statement, values, done);
  if (rule.action in INSTEAD) {
    const callback = typeof values === 'function' ? values : done;
    return query.call(this, INSTEAD[rule.action], callback);
  }
  return new Promise(resolve => setTimeout(resolve, rule.ms ?? 0)).then(() =>
    query.call(this, statement, values, done),
  );
};

/** `publish`: after COMMIT, before the event is published. */
for (const fanout of [MemoryFanout, RedisFanout]) {
  const { publish } = fanout.prototype;
  fanout.prototype.publish = function (subject, body) {
    if (subject === 'events' && pass('publish')?.action === 'drop') return;
    publish.call(this, subject, body);
  };
}

/** `answer`: after everything was done, before the response is sent. */
const { end } = ServerResponse.prototype;
ServerResponse.prototype.end = function (...args) {
  const writes = this.req?.method !== 'GET' && this.statusCode < 300;
  if (writes && pass('answer')?.action === 'cut') {
    this.req.socket.destroy();
    return this;
  }
  return end.apply(this, args);
};

/** Mails that are being handed to the mail server. */
let sending = 0;
const { send } = SmtpMailer.prototype;
/** `mail`: before a mail is handed to the mail server. `mailed`: after its 250, before that is stored. */
SmtpMailer.prototype.send = async function (mail) {
  pass('mail');
  sending += 1;
  try {
    await send.call(this, mail);
  } finally {
    sending -= 1;
  }
  pass('mailed');
};

/** `request`: before a webhook or a bot is called. `requested`: when it has answered, before that is read and stored. */
const { run: exchange } = OutboundExchangeService.prototype;
OutboundExchangeService.prototype.run = function (request, accept, ending, use) {
  pass('request');
  return exchange.call(this, request, accept, ending, answer => {
    pass('requested');
    return use(answer);
  });
};

/** Leases of webhooks to which this process delivers. */
const leases = new Set();
const { claim } = LeasesRepository.prototype;
LeasesRepository.prototype.claim = async function (query) {
  const claimed = await claim.call(this, query);
  for (const { lease } of claimed) leases.add(lease);
  return claimed;
};
const { deliver } = WebhooksWorker.prototype;
WebhooksWorker.prototype.deliver = async function (webhook) {
  try {
    await deliver.call(this, webhook);
  } finally {
    leases.delete(webhook.lease);
  }
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

/** Deliberate defects, each of which the checker must report. `false` removes a defect. */
const MUTANTS = {
  /** Drops live events, which then never arrive. */
  async 'nobody reads the event log'(on) {
    const { EventTailJob } = await dist('platform/events/event-tail.job.js');
    replace(EventTailJob.prototype, 'catchUp', on && (() => async () => undefined));
    armed = on ? [{ point: 'publish', action: 'drop', after: 3, every: 4, times: Infinity }] : [];
  },
  async 'client_message_id is ignored'(on) {
    const { MessageAppenderService } = await dist('modules/messages/message-appender.service.js');
    const { MessagesService } = await dist('modules/messages/messages.service.js');
    replace(MessagesService.prototype, 'findExisting', on && (() => async () => null));
    const withoutClientId = append =>
      function (conversation, draft, actor) {
        return append.call(this, conversation, { ...draft, clientMessageId: null }, actor);
      };
    replace(MessageAppenderService.prototype, 'append', on && withoutClientId);
  },
  async 'private notes are sent to visitors'(on) {
    const { EVENT_REGISTRY } = await dist('events.js');
    const { agents, visitor } = EVENT_REGISTRY.get('message.created');
    replace(visitor, 'data', on && (() => event => agents.data(event)));
  },
  /** Publishes while the transaction is still open, and delays its COMMIT. */
  async 'events are delivered before their commit'(on) {
    replace(UnitOfWork.prototype, 'afterCommit', on && (() => hook => hook()));
    armed = on ? [{ point: 'commit', action: 'hold', ms: 200, after: 5, every: 5, times: Infinity }] : [];
  },
  async 'a ticket can be spent twice'(on) {
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
  async 'API keys are cached forever'(on) {
    const { ApiKeysService } = await dist('modules/api-keys/api-keys.service.js');
    const known = new Map();
    const remembered = authenticate =>
      async function (key) {
        if (!known.has(key)) known.set(key, await authenticate.call(this, key));
        return known.get(key);
      };
    replace(ApiKeysService.prototype, 'authenticate', on && remembered);
  },
  /** A new request never displaces an earlier one. */
  async 'passwords are hashed in order'(on) {
    const { FairConcurrencyQueue } = await dist('platform/limits/fair-concurrency-queue.js');
    const inOrder = () =>
      function (newcomer) {
        return newcomer ?? this.waiting.at(-1);
      };
    replace(FairConcurrencyQueue.prototype, 'heaviestWith', on && inOrder);
  },
  /** Reads messages where no handler catches what it throws. */
  async 'messages from Redis are trusted'(on) {
    const trusting = () =>
      function (text) {
        const [from, subject, body] = JSON.parse(text);
        if (from === this.id) this.lastEchoAt = performance.now();
        else if (subject !== '') this.local.publish(subject, body);
      };
    replace(RedisFanout.prototype, 'receive', on && trusting);
  },
  async 'events wait for the watermark'(on) {
    const { EventTailRepository } = await dist('platform/events/event-tail.repository.js');
    const waiting = keys =>
      async function* (watermark, state) {
        for await (const page of keys.call(this, watermark, state)) {
          yield page.filter(({ xid }) => xid < state.snapshot.xmin);
        }
      };
    replace(EventTailRepository.prototype, 'keys', on && waiting);
  },
  async 'a restored log is taken for the old one'(on) {
    const { EventTailRepository } = await dist('platform/events/event-tail.repository.js');
    const trusting = look =>
      async function (watermark) {
        const { xid, position, mark } = watermark.newest;
        return { ...(await look.call(this, watermark)), proof: { xid, position, id: mark } };
      };
    replace(EventTailRepository.prototype, 'look', on && trusting);
  },
  /** The shared statement waits for every row, as before rows were skipped. */
  async 'locked rows are waited for'(on) {
    const { FastPathSendsRepository } = await dist('modules/messages/fast-path-sends.repository.js');
    const waiting = send =>
      function (sends) {
        const sendLocked = async () => {
          await this.lock(sends);
          return send.call(this, sends);
        };
        return this.sql.units.run(sendLocked, { lockMs: 1_400 });
      };
    replace(FastPathSendsRepository.prototype, 'send', on && waiting);
  },
  async 'transactions have no limits'(on) {
    const unlimited = repeat =>
      function (work) {
        return repeat.call(this, work, { statementMs: 0, lockMs: 0, idleMs: 0 });
      };
    replace(UnitOfWork.prototype, 'repeat', on && unlimited);
  },
  async 'abandoned statements are not cancelled'(on) {
    const { PoolClient } = await dist('platform/database/pool-client.js');
    replace(PoolClient.prototype, 'endIfLate', on && (() => () => undefined));
  },
  async 'the embedded PostgreSQL is not restarted'(on) {
    const { SupervisedServer } = await dist('platform/database/embedded/supervised-server.js');
    replace(SupervisedServer.prototype, 'recover', on && (() => async () => undefined));
  },
  /** Deletes the row of a timer in a transaction of its own. */
  async 'timers are forgotten before they act'(on) {
    const { IdleTimerWorker } = await dist('modules/auto-resolve/idle-timer.worker.js');
    const forgetting = work =>
      async function (row, now) {
        await this.timers.disarm(row.workspaceId, [row.id]);
        return work.call(withPart(this, 'timers', { isDue: async () => true }), row, now);
      };
    replace(IdleTimerWorker.prototype, 'work', on && forgetting);
  },
  /** Decides before the lock, so that every instance that has found the row acts. */
  async 'a snooze is not looked at again under its lock'(on) {
    const { SnoozeWorker } = await dist('modules/conversations/snooze.worker.js');
    const trusting = work =>
      async function (row, now) {
        await delay(1_100);
        const { conversations } = this;
        const tryLockVisible = async (...args) =>
          Object.assign(await conversations.lockVisible(...args), { status: 'snoozed', snoozedUntil: now });
        return work.call(withPart(this, 'conversations', { tryLockVisible }), row, now);
      };
    replace(SnoozeWorker.prototype, 'work', on && trusting);
  },
  async 'the engine ignores capacities'(on) {
    const { AssignmentRequestsRepository } = await dist('modules/assignment/assignment-requests.repository.js');
    const { AssignmentsService } = await dist('modules/assignment/assignments.service.js');
    const ignoring = findNext =>
      function (...args) {
        const first = (statement, values) => {
          const text = statement.text.replace(/ AND coalesce\(load\.open_count, 0\) < member\.capacity/, '');
          return this.sql.first({ name: '', text }, values);
        };
        return findNext.apply(withPart(this, 'sql', { first }), args);
      };
    replace(AssignmentRequestsRepository.prototype, 'findNext', on && ignoring);
    const isFree = () =>
      function (member, channelId) {
        return this.isOnlineFor(member, channelId);
      };
    replace(AssignmentsService.prototype, 'isFree', on && isFree);
  },
  async 'loads are counted after the commit'(on) {
    const { MemberLoadsRepository } = await dist('modules/assignment/member-loads.repository.js');
    const later = add =>
      async function (...args) {
        this.sql.units.afterCommit(() => void setTimeout(() => add.apply(this, args).catch(() => undefined), 6_000));
      };
    replace(MemberLoadsRepository.prototype, 'add', on && later);
  },
  async 'nobody assigns what waits'(on) {
    const { AssignmentWorker } = await dist('modules/assignment/assignment.worker.js');
    replace(AssignmentWorker.prototype, 'work', on && (() => async () => true));
  },
  async 'mails end before they are sent'(on) {
    const { MailWorker } = await dist('platform/mail/mail.worker.js');
    const early = attempt =>
      async function (row, mail) {
        await this.end(row, 'sent', { recipient: mail.to });
        return attempt.call(this, row, mail);
      };
    replace(MailWorker.prototype, 'attempt', on && early);
  },
  async 'what is unsent stays in the search index'(on) {
    const { SearchDocumentsRepository } = await dist('modules/search/search-documents.repository.js');
    replace(SearchDocumentsRepository.prototype, 'remove', on && (() => async () => undefined));
  },
  async 'failed uploads are forgotten'(on) {
    const { RemovalsRepository } = await dist('modules/attachments/removals.repository.js');
    replace(RemovalsRepository.prototype, 'claim', on && (() => async () => []));
  },
  /** Writes that an event was delivered before it is sent. */
  async 'deliveries end before they are sent'(on) {
    const { AttemptsService } = await dist('modules/webhooks/attempts.service.js');
    const early = send =>
      async function (attempt, signal) {
        await this.writeResult(attempt, attempt.delivery, { status: 200, latencyMs: 0, retryAfterMs: null });
        return send.call(this, attempt, signal);
      };
    const remembering = perform =>
      function (workspaceId, id, signal) {
        const load = async (...key) => {
          const attempt = await this.prepared.load(...key);
          return attempt && { ...attempt, delivery: { workspaceId, id, at: this.clock.now() } };
        };
        return perform.call(withPart(this, 'prepared', { load }), workspaceId, id, signal);
      };
    replace(AttemptsService.prototype, 'send', on && early);
    replace(AttemptsService.prototype, 'perform', on && remembering);
  },
  async 'deliveries do not wait for each other'(on) {
    const { DeliveryLane } = await dist('modules/webhooks/delivery-lane.js');
    replace(
      DeliveryLane.prototype,
      'keyFor',
      on &&
        (() =>
          ({ id }) =>
            id),
    );
    const { AttemptsService } = await dist('modules/webhooks/attempts.service.js');
    const unsteady = send =>
      async function (...args) {
        await delay(Math.random() * 100);
        return send.apply(this, args);
      };
    replace(AttemptsService.prototype, 'send', on && unsteady);
  },
  /** Ends a turn with the first attempt, whatever the bot answers. */
  async 'turns end before they are answered'(on) {
    const { BotTurnsRepository } = await dist('modules/bot-dialogue/bot-turns.repository.js');
    const ending = begin =>
      async function (...args) {
        const turn = await begin.apply(this, args);
        if (turn?.kind === 'message') {
          await this.end(turn, 'answered', new Date());
          await this.openNext(turn.workspaceId, turn.conversationId, new Date());
        }
        return turn;
      };
    replace(BotTurnsRepository.prototype, 'begin', on && ending);
  },
  async 'a silent database is waited for'(on) {
    const { OpenConnectionsRegistry } = await dist('platform/database/open-connections.registry.js');
    replace(OpenConnectionsRegistry.prototype, 'closeAll', on && (() => () => undefined));
  },
};

/** A copy of the object whose part has other methods. */
function withPart(owner, name, methods) {
  const part = Object.assign(Object.create(owner[name]), methods);
  return Object.create(owner, { [name]: { value: part } });
}

const originals = new Map();
/** @param make returns a replacement for the original; false restores the original */
function replace(owner, name, make) {
  if (typeof owner[name] !== 'function') throw new Error(`there is no ${name} to replace`);
  const saved = originals.get(owner) ?? {};
  originals.set(owner, saved);
  saved[name] ??= owner[name];
  owner[name] = make ? make(saved[name]) : saved[name];
}

const ORDERS = {
  arm: ({ rules }) => void (armed = rules.map(rule => ({ after: 0, times: 1, ...rule }))),
  mutate: ({ mutant, on }) => MUTANTS[mutant](on),
  jump: ({ ms }) => jump(ms),
  sending: () => ({ sending }),
  leases: () => ({ leases: [...leases] }),
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
