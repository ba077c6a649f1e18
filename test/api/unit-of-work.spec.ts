import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import type { RecordedEvent } from '../../src/kernel/domain-event.js';
import { newId } from '../../src/kernel/ids.js';
import { PasswordHashingService } from '../../src/modules/users/password-hashing.service.js';
import { UnitOfWork } from '../../src/platform/database/unit-of-work.js';
import { isCommittedEvent } from '../../src/platform/events/committed-event.js';
import { COMMITTED_EVENTS, EventLogService } from '../../src/platform/events/event-log.service.js';
import { EventTailJob } from '../../src/platform/events/event-tail.job.js';
import { Fanout } from '../../src/platform/fanout/fanout.js';
import { Mailer } from '../../src/platform/mail/mailer.js';
import { AddressPolicy } from '../../src/platform/outbound/address.policy.js';
import { OutboundRequestsService } from '../../src/platform/outbound/outbound-requests.service.js';
import { eventually } from '../support/eventually.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

/** A promise that is resolved by calling `open`. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>(resolve => (open = resolve));
  return { opened, open };
}

describe('Unit of work', () => {
  let world: World;
  let units: UnitOfWork;
  let events: EventLogService;
  let tail: EventTailJob;
  let desk: Desk;
  const published: string[] = [];

  beforeAll(async () => {
    world = await World.start();
    units = world.app.app.get(UnitOfWork);
    events = world.app.app.get(EventLogService);
    tail = world.app.app.get(EventTailJob);
    world.app.app
      .get(Fanout)
      .subscribe(COMMITTED_EVENTS, isCommittedEvent, body => published.push((body as RecordedEvent).id));
    await world.app.database.query('CREATE TABLE thing (name text PRIMARY KEY, size int NOT NULL DEFAULT 0)');
    desk = await world.desk();
  });
  afterAll(() => world.stop());
  beforeEach(async () => {
    await world.app.database.query('TRUNCATE thing');
  });

  /** Writes as a repository would: on the connection of the unit, or on the pool outside of one. */
  const write = (name: string) => units.manager.query('INSERT INTO thing (name) VALUES ($1)', [name]);
  const grow = (name: string) => units.manager.query('UPDATE thing SET size = size + 1 WHERE name = $1', [name]);
  const names = async () =>
    (await world.app.database.query<{ name: string }>('SELECT name FROM thing ORDER BY name')).map(row => row.name);
  const logged = async (id: string) =>
    (await world.app.database.query('SELECT id FROM event WHERE id = $1', [id])).length === 1;

  const record = () =>
    events.record({
      type: 'canned_response.deleted',
      workspaceId: desk.workspaceId,
      actor: { type: 'system', id: null },
      payload: {
        id: newId(),
        short_code: 'gone',
        title: 'Gone',
        content: 'Gone',
        tags: [],
        created_by: null,
        usage_count: 0,
        created_at: '2026-01-01T00:00:00.000000Z',
        updated_at: '2026-01-01T00:00:00.000000Z',
      },
    });

  describe('A unit of work that commits', () => {
    it('A unit of work that commits keeps its rows and its event, and publishes the event after the commit', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const event = await units.run(async () => {
        await write('kept');
        const recorded = await record();
        await inbox.settled();
        expect(published).not.toContain(recorded.id);
        expect(await logged(recorded.id)).toBe(false);
        return recorded;
      });
      await inbox.next('canned_response.deleted', frame => frame.id === event.id);
      expect(published).toContain(event.id);
      expect(await names()).toEqual(['kept']);
      expect(await logged(event.id)).toBe(true);
      await inbox.close();
    });

    it('A unit of work returns the result of its work', async () => {
      expect(await units.run(() => Promise.resolve(7))).toBe(7);
    });

    it('A unit of work runs its hooks in order after the commit', async () => {
      const hooksRun: string[] = [];
      await units.run(async () => {
        units.afterCommit(() => hooksRun.push('first'));
        await write('kept');
        units.afterCommit(() => hooksRun.push('second'));
        expect(hooksRun).toEqual([]);
      });
      expect(hooksRun).toEqual(['first', 'second']);
    });

    it('A unit of work started inside another is part of it, and rolled back with it', async () => {
      const hooksRun: string[] = [];
      await expect(
        units.run(async () => {
          await units.run(async () => {
            units.afterCommit(() => hooksRun.push('inner'));
            await write('inner');
          });
          expect(hooksRun).toEqual([]);
          throw new Error('outer');
        }),
      ).rejects.toThrow('outer');
      expect(hooksRun).toEqual([]);
      expect(await names()).toEqual([]);
    });

    it('A unit of work is invisible to code that runs at the same time', async () => {
      const inside = gate();
      const beside = gate();
      const unit = units.run(async () => {
        await write('mine');
        inside.open();
        await beside.opened;
      });
      await inside.opened;
      expect(units.active).toBe(false);
      expect(await units.manager.query('SELECT name FROM thing')).toEqual([]);
      beside.open();
      await unit;
      expect(await names()).toEqual(['mine']);
    });
  });

  describe('A unit of work that is rolled back', () => {
    it('A unit of work that is rolled back leaves no row, no event and no frame', async () => {
      const inbox = await world.agentSocket(desk.owner);
      let lost = '';
      const failing = units.run(async () => {
        await write('lost');
        lost = (await record()).id;
        throw new Error('on second thoughts');
      });
      await expect(failing).rejects.toThrow('on second thoughts');

      const kept = await units.run(record);
      await inbox.next('canned_response.deleted', frame => frame.id === kept.id);
      await tail.catchUp();
      await inbox.settled();
      expect(inbox.of('canned_response.deleted').map(frame => frame.id)).toEqual([kept.id]);
      expect(published).not.toContain(lost);
      expect(await logged(lost)).toBe(false);
      expect(await names()).toEqual([]);
      await inbox.close();
    });

    it('A unit of work that is rolled back runs none of its hooks', async () => {
      const hooksRun: string[] = [];
      const failing = units.run(async () => {
        units.afterCommit(() => hooksRun.push('never'));
        await write('lost');
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(hooksRun).toEqual([]);
    });

    it('A unit of work that fails at COMMIT leaves no row and runs no hook', async () => {
      await world.app.database.query(
        'ALTER TABLE thing ADD CONSTRAINT later UNIQUE (size) DEFERRABLE INITIALLY DEFERRED',
      );
      const hooksRun: string[] = [];
      const failing = units.run(async () => {
        await write('one');
        await write('two');
        units.afterCommit(() => hooksRun.push('never'));
      });
      await expect(failing).rejects.toMatchObject({ driverError: { constraint: 'later' } });
      await world.app.database.query('ALTER TABLE thing DROP CONSTRAINT later');
      expect(hooksRun).toEqual([]);
      expect(await names()).toEqual([]);
    });

    it('A unit of work that fails returns its connection to the pool', async () => {
      const failures = Array.from({ length: 40 }, (_nothing, index) =>
        units.run(async () => {
          await write(`lost ${index}`);
          throw new Error('no');
        }),
      );
      expect((await Promise.allSettled(failures)).every(({ status }) => status === 'rejected')).toBe(true);
      const driver = world.app.app.get(DataSource).driver as unknown as {
        master: { totalCount: number; idleCount: number };
      };
      // the log reader may be running a query now: eventually() waits until it is done
      await eventually(() => driver.master.idleCount === driver.master.totalCount || undefined);
    });
  });

  describe('A unit of work that meets a deadlock', () => {
    it('Two units of work that deadlock are retried until both commit, and each runs its hooks once', async () => {
      await write('left');
      await write('right');
      let attempts = 0;
      const hooksRun: string[] = [];
      const ready = [gate(), gate()] as const;
      const unit = (first: string, second: string, me: 0 | 1) =>
        units.run(async () => {
          attempts += 1;
          units.afterCommit(() => hooksRun.push(first));
          await grow(first);
          ready[me].open();
          await ready[1 - me]?.opened;
          await grow(second);
        });
      await Promise.all([unit('left', 'right', 0), unit('right', 'left', 1)]);
      expect(attempts).toBeGreaterThan(2);
      expect(hooksRun.sort()).toEqual(['left', 'right']);
      const sizes = await world.app.database.query<{ size: number }>('SELECT size FROM thing');
      expect(sizes.map(({ size }) => size)).toEqual([2, 2]);
    });

    it('A unit of work with a serialization failure is tried four times and then fails', async () => {
      let attempts = 0;
      const failing = units.run(async () => {
        attempts += 1;
        await write(`attempt ${attempts}`);
        await units.manager.query(`DO $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '40001'; END $$`);
      });
      await expect(failing).rejects.toThrow('not now');
      expect(attempts).toBe(4);
      expect(await names()).toEqual([]);
    });

    it('A nested unit of work with a deadlock is retried as part of the outer one', async () => {
      let outer = 0;
      let inner = 0;
      await units.run(async () => {
        outer += 1;
        await write('whole');
        await units.run(async () => {
          inner += 1;
          if (inner > 1) return;
          await units.manager.query(`DO $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '40P01'; END $$`);
        });
      });
      expect([outer, inner]).toEqual([2, 2]);
      expect(await names()).toEqual(['whole']);
    });

    it('A unit of work with any other database error is not retried', async () => {
      let attempts = 0;
      await write('there');
      const failing = units.run(async () => {
        attempts += 1;
        await write('there');
      });
      await expect(failing).rejects.toMatchObject({ driverError: { code: '23505' } });
      expect(attempts).toBe(1);
    });
  });

  describe('A unit of work with a savepoint', () => {
    it('A savepoint that fails undoes its own rows, events and hooks only', async () => {
      const hooksRun: string[] = [];
      let lost = '';
      const kept = await units.run(async () => {
        await write('before');
        units.afterCommit(() => hooksRun.push('before'));
        const part = units.savepoint(async () => {
          await write('part');
          units.afterCommit(() => hooksRun.push('part'));
          lost = (await record()).id;
          throw new Error('this part');
        });
        await expect(part).rejects.toThrow('this part');
        await write('after');
        units.afterCommit(() => hooksRun.push('after'));
        return record();
      });
      expect(await names()).toEqual(['after', 'before']);
      expect(hooksRun).toEqual(['before', 'after']);
      expect([await logged(lost), await logged(kept.id)]).toEqual([false, true]);
      expect(published).toContain(kept.id);
      expect(published).not.toContain(lost);
    });

    it('A unit of work continues after the database has refused a savepoint’s statement', async () => {
      await write('taken');
      await units.run(async () => {
        await expect(units.savepoint(() => write('taken'))).rejects.toMatchObject({ driverError: { code: '23505' } });
        await write('free');
      });
      expect(await names()).toEqual(['free', 'taken']);
    });

    it('A savepoint that succeeds keeps its rows and hooks', async () => {
      const hooksRun: string[] = [];
      const result = await units.run(() =>
        units.savepoint(async () => {
          await write('part');
          units.afterCommit(() => hooksRun.push('part'));
          return 'done';
        }),
      );
      expect(result).toBe('done');
      expect(hooksRun).toEqual(['part']);
      expect(await names()).toEqual(['part']);
    });

    it('An outer savepoint that fails with its inner one is undone as a whole', async () => {
      await units.run(async () => {
        await write('unit');
        const outer = units.savepoint(async () => {
          await write('outer');
          await units.savepoint(async () => {
            await write('inner');
            throw new Error('both');
          });
        });
        await expect(outer).rejects.toThrow('both');
      });
      expect(await names()).toEqual(['unit']);
    });

    it('An outer savepoint that catches the failure of its inner one is kept', async () => {
      await units.run(() =>
        units.savepoint(async () => {
          await write('outer');
          const inner = units.savepoint(async () => {
            await write('inner');
            throw new Error('inner alone');
          });
          await expect(inner).rejects.toThrow('inner alone');
          await write('outer still');
        }),
      );
      expect(await names()).toEqual(['outer', 'outer still']);
    });
  });

  describe('Outside a unit of work', () => {
    it('An event cannot be recorded outside a unit of work', async () => {
      await expect(record()).rejects.toThrow('canned_response.deleted was recorded outside a unit of work');
    });

    it('Hooks and savepoints cannot be used outside a unit of work', async () => {
      expect(() => units.afterCommit(() => undefined)).toThrow('afterCommit outside a unit of work');
      await expect(units.savepoint(() => Promise.resolve())).rejects.toThrow('savepoint outside a unit of work');
    });
  });

  describe('The unit of work of a request', () => {
    it('A request that is refused leaves no row, no event and no frame', async () => {
      const inbox = await world.agentSocket(desk.owner);
      const visitor = await world.visitor(desk);
      const contact = { contact_id: visitor.contactId, channel_id: desk.channelId };
      const key = await world.apiKey(desk);
      const before = await world.app.database.query<{ events: number; conversations: number }>(
        'SELECT (SELECT count(*)::int FROM event) AS events, (SELECT count(*)::int FROM conversation) AS conversations',
      );
      // the conversation is created first; then its message is refused for lack of a sender
      const refused = await key.post('/v1/conversations', { ...contact, message: { content: 'Who speaks?' } });
      expect([refused.status, refused.error.code]).toEqual([400, 'sender_required']);
      const after = await world.app.database.query(
        'SELECT (SELECT count(*)::int FROM event) AS events, (SELECT count(*)::int FROM conversation) AS conversations',
      );
      expect(after).toEqual(before);
      await tail.catchUp();
      await inbox.settled();
      expect(inbox.of('conversation.created')).toEqual([]);
      await inbox.close();
    });
  });

  it('Hashing a password, sending a mail and calling another host fail inside a unit of work', async () => {
    const { app } = world.app;
    const hasher = app.get(PasswordHashingService, { strict: false });
    const request = { url: 'https://example.com', workspaceId: desk.workspaceId, id: newId(), secrets: [], body: '{}' };
    const slow: [string, () => unknown][] = [
      ['hash', () => hasher.hash('a password', 'somebody')],
      ['compare', () => hasher.matches('a password', null, 'somebody')],
      ['mail', () => app.get(Mailer).send({ to: 'a@example.com', subject: 'x', text: 'x', messageId: 'x@localhost' })],
      ['post', () => app.get(OutboundRequestsService).post(request)],
      ['stream', () => app.get(OutboundRequestsService).stream(request, () => Promise.resolve())],
      ['resolve', () => app.get(AddressPolicy).assertCallable('https://example.com/hook', 'url')],
    ];
    for (const [operation, work] of slow) {
      const outcome = units.run(async () => work()).catch((error: Error) => error.message);
      expect([operation, await outcome]).toEqual([operation, expect.stringContaining('inside a unit of work')]);
    }
  });

  it('A bot with a webhook URL is created under an Idempotency-Key, and a retry gets the same bot', async () => {
    const body = { name: 'Robin', webhook_url: 'https://93.184.215.14/hook' };
    const headers = { 'Idempotency-Key': newId() };
    const [made, again] = [
      await desk.owner.api.post('/v1/bots', body, headers),
      await desk.owner.api.post('/v1/bots', body, headers),
    ];
    expect([made.status, again.status, again.data]).toEqual([201, 201, made.data]);
    const refused = { ...body, webhook_url: 'https://10.0.0.1/hook' };
    const key = { 'Idempotency-Key': newId() };
    for (const replayed of [undefined, 'true']) {
      const answer = await desk.owner.api.post('/v1/bots', refused, key);
      expect([answer.status, answer.headers['idempotency-replayed']]).toEqual([400, replayed]);
    }
  });
});
