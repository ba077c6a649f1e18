import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { newId } from '../../src/kernel/ids.js';
import { encodeCursor } from '../../src/kernel/page.js';
import { UnitOfWork } from '../../src/platform/database/unit-of-work.js';
import { ErasureJob } from '../../src/platform/erasure/erasure.job.js';
import { MailComposerRegistry } from '../../src/platform/mail/mail-composer.registry.js';
import { MailQueueService } from '../../src/platform/mail/mail-queue.service.js';
import { MailRetentionJob } from '../../src/platform/mail/mail-retention.job.js';
import { desk, server, world } from '../support/desk-with-mail.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/json.js';
import { unique, World } from '../support/world.js';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

beforeEach(async () => {
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const newEmail = () => `${unique('mail')}@example.com`;
const invite = async (email: string): Promise<Json> =>
  (await desk.owner.api.post('/v1/workspace/invites', { email })).data;
const statuses = async (subjectId: string): Promise<{ status: string; data: string | null; attempts: number }[]> =>
  world.app.database.query(
    'SELECT status, data, attempts FROM outgoing_mail WHERE subject_id = $1 ORDER BY created_at, id',
    [subjectId],
  );
const untilEnded = (subjectId: string) =>
  eventually(async () => {
    const rows = await statuses(subjectId);
    return rows.length > 0 && rows.every(({ status }) => status !== 'pending') ? rows : undefined;
  });
/** Waits until a failed attempt was recorded. @param last the error of the attempt before */
const untilFailed = (subjectId: string, last: string | null = null) =>
  eventually(async () => {
    const [row] = await world.app.database.query<{ attempts: number; last_error: string | null }>(
      'SELECT attempts, last_error FROM outgoing_mail WHERE subject_id = $1',
      [subjectId],
    );
    return row && row.last_error !== last ? row : undefined;
  });

describe('A queued mail', () => {
  it('A mail is sent once, as text and as HTML without script, and its link is deleted from the database.', async () => {
    const email = newEmail();
    const { id } = await invite(email);
    const rows = await untilEnded(id);
    expect(rows).toEqual([{ status: 'sent', data: null, attempts: 1 }]);
    const [mail, ...more] = server.mailsTo(email);
    expect(more).toEqual([]);
    const link = /\S+#invite=\S+/.exec(mail?.text ?? '')?.[0] ?? '';
    expect(mail?.html).toContain(`href="${link}"`);
    expect(mail?.html).not.toMatch(/<script|<img|<link|@import/);
    expect(mail?.from?.text).toBe('"Desk" <desk@example.com>');
  });

  it('A mail is lost with its reason when the transaction rolls back.', async () => {
    const units = world.app.app.get(UnitOfWork);
    const subjectId = newId();
    const failing = units.run(async () => {
      await world.app.app.get(MailQueueService).add({ workspaceId: null, kind: 'invite', subjectId });
      throw new Error('planned');
    });
    await expect(failing).rejects.toThrow('planned');
    expect(await statuses(subjectId)).toEqual([]);
  });

  it('A mail waits while the mail server is down, and is sent a minute later.', async () => {
    await server.stop();
    const email = newEmail();
    const { id } = await invite(email);
    await untilFailed(id);
    await server.listen();
    world.app.clock.advance(MINUTE);
    expect((await untilEnded(id))[0]).toMatchObject({ status: 'sent', attempts: 2 });
    expect(server.mailsTo(email)).toHaveLength(1);
  });

  it('A mail whose connection ends after its content is sent again with the same Message-ID.', async () => {
    server.mode = 'cuts';
    const email = newEmail();
    const { id } = await invite(email);
    await untilFailed(id);
    server.mode = 'accepts';
    world.app.clock.advance(MINUTE);
    await untilEnded(id);
    const ids = server.mailsTo(email).map(({ messageId }) => messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^<[0-9a-f-]{36}@localhost>$/);
  });

  it('A mail to an address that does not exist is given up at once and listed for admins and keys.', async () => {
    server.mode = 'refuses';
    const email = newEmail();
    const { id } = await invite(email);
    await untilEnded(id);
    const key = await world.apiKey(desk);
    for (const api of [desk.owner.api, key]) {
      const { status, data } = await api.get('/v1/mail/failures');
      expect(status).toBe(200);
      expect(data.items).toEqual([
        expect.objectContaining({ kind: 'invite', subject_id: id, recipient: email, attempts: 1 }),
      ]);
      expect(data.items[0].error).toMatch(/550/);
    }
    expect((await world.desk().then(({ owner }) => owner.api.get('/v1/mail/failures'))).data.items).toEqual([]);
  });

  it('A cursor that does not contain an id is refused by the list of failed mails (400 cursor_invalid).', async () => {
    const cursor = encodeCursor('mail-failures', ['not an id']);
    const { status, error } = await desk.owner.api.get(`/v1/mail/failures?cursor=${cursor}`);
    expect([status, error?.code]).toEqual([400, 'cursor_invalid']);
  });

  it('A mail that the server puts off is retried with growing pauses and given up after three days.', async () => {
    server.mode = 'busy';
    const { id } = (await world.app.database.query<{ id: string }>('SELECT gen_random_uuid() AS id'))[0] as {
      id: string;
    };
    const kind = unique('kind');
    const compose = jest.fn(() => Promise.resolve({ to: newEmail(), subject: 'Hello', text: 'Hello' }));
    world.app.app.get(MailComposerRegistry).add({ kind, compose });
    const mail = { workspaceId: desk.workspaceId, kind, subjectId: id };
    await world.app.app.get(UnitOfWork).run(() => world.app.app.get(MailQueueService).add(mail));
    let last: string | null = null;
    for (const [index, minutes] of [1, 5, 15, 60, 180, 360, 3 * 24 * 60].entries()) {
      const { attempts, last_error }: { attempts: number; last_error: string | null } = await untilFailed(id, last);
      expect(attempts).toBe(index + 1);
      last = last_error;
      world.app.clock.advance(minutes * MINUTE);
    }
    expect((await untilEnded(id))[0]).toMatchObject({ status: 'failed', attempts: 8 });
    const counter = await world.app.app.get(Registry).getSingleMetric('mails_total')?.get();
    expect(counter?.values).toContainEqual(expect.objectContaining({ labels: { kind, outcome: 'failed' }, value: 1 }));
  });

  it('A mail whose reason is gone is not sent.', async () => {
    await server.stop();
    const email = newEmail();
    const { id } = await invite(email);
    await untilFailed(id);
    await desk.owner.api.delete(`/v1/workspace/invites/${id}`);
    await server.listen();
    world.app.clock.advance(MINUTE);
    expect((await untilEnded(id))[0]).toMatchObject({ status: 'cancelled', data: null });
    expect(server.mailsTo(email)).toEqual([]);
  });

  it('A newer mail about the same subject replaces one that was not sent.', async () => {
    await server.stop();
    const email = newEmail();
    const { id } = await invite(email);
    await untilFailed(id);
    await server.listen();
    await desk.owner.api.post(`/v1/workspace/invites/${id}/resend`);
    expect((await untilEnded(id)).map(({ status }) => status)).toEqual(['cancelled', 'sent']);
    expect(server.mailsTo(email)).toHaveLength(1);
  });

  it('A mail about an erased person is not sent, and its address is deleted.', async () => {
    const visitor = await world.visitor(desk, { email: newEmail() });
    const kind = unique('kind');
    const mail = { to: newEmail(), subject: 'Hello', text: 'Hello' };
    world.app.app.get(MailComposerRegistry).add({ kind, compose: () => Promise.resolve(mail) });
    const add = (dueAt?: Date) =>
      world.app.app.get(UnitOfWork).run(() =>
        world.app.app.get(MailQueueService).add({
          workspaceId: desk.workspaceId,
          kind,
          subjectId: visitor.contactId,
          ...(dueAt && { dueAt }),
        }),
      );
    await add();
    await untilEnded(visitor.contactId);
    await add(new Date(world.app.clock.now().getTime() + 3_600_000));
    await desk.owner.api.delete(`/v1/contacts/${visitor.contactId}`);
    await world.app.app.get(ErasureJob).runUntilDone();
    const rows = await eventually(async () => {
      const found = await world.app.database.query<Json>(
        'SELECT status, recipient FROM outgoing_mail WHERE subject_id = $1 ORDER BY id',
        [visitor.contactId],
      );
      return found.every(({ recipient, status }) => recipient === null && status !== 'pending') ? found : undefined;
    });
    expect(rows.map(({ status }) => status as string)).toEqual(['sent', 'cancelled']);
    expect(server.mailsTo(mail.to)).toHaveLength(1);
  });

  it('The record of a mail is deleted after thirty days.', async () => {
    const { id } = await invite(newEmail());
    await untilEnded(id);
    const job = world.app.app.get(MailRetentionJob);
    world.app.clock.advance(29 * DAY);
    await job.run();
    expect(await statuses(id)).toHaveLength(1);
    world.app.clock.advance(2 * DAY);
    await job.run();
    expect(await statuses(id)).toEqual([]);
  });
});

describe('A mail server that never answers', () => {
  it('An instance that stops does not wait for it, and another instance sends the mail after the lease.', async () => {
    server.mode = 'hangs';
    const dying = await World.start(
      { SMTP_URL: server.url },
      { realMail: true, database: world.app.database, clock: world.app.clock },
    );
    const email = newEmail();
    const dyingDesk = await dying.desk();
    const { id } = (await dying.as(dyingDesk.owner.token).post('/v1/workspace/invites', { email })).data;
    await eventually(() => server.mailsTo(email)[0]);
    const began = performance.now();
    await dying.stop();
    expect(performance.now() - began).toBeLessThan(9_000);
    server.mode = 'accepts';
    world.app.clock.advance(5 * MINUTE);
    expect((await untilEnded(id))[0]).toMatchObject({ status: 'sent', attempts: 2 });
    expect(new Set(server.mailsTo(email).map(({ messageId }) => messageId)).size).toBe(1);
  });
});
