import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/kernel/ids.js';
import { sha256 } from '../../src/kernel/secret.js';
import { desk, owner, world } from '../support/desk-for-each.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { accept, invited, logged, someEmail, tokenIn } from '../support/invites.js';
import type { Json } from '../support/json.js';
import { MailServer } from '../support/mail-server.js';
import { countsOf, race } from '../support/race.js';
import type { Desk } from '../support/world.js';
import { PASSWORD, unique, World } from '../support/world.js';

const DAY = 24 * 3600;

function invite(body: Record<string, unknown>, by = owner, headers: Record<string, string> = {}) {
  return by.post('/v1/workspace/invites', body, headers);
}

async function listed(query = '', by = owner): Promise<Json[]> {
  return (await by.get(`/v1/workspace/invites${query}`)).data.items as Json[];
}

const resend = (id: string, by = owner) => by.post(`/v1/workspace/invites/${id}/resend`);
const revoke = (id: string, by = owner) => by.delete(`/v1/workspace/invites/${id}`);
const preview = (token: string, on = world) => on.anyone.post('/v1/auth/invite-preview', { invite_token: token });

/** Expects the same refusal from the preview and the acceptance of an invalid link. */
async function expectInvalid(token: string): Promise<void> {
  for (const answer of [await preview(token), await accept(world, token)]) {
    expect([answer.status, answer.error?.code]).toEqual([401, 'invite_invalid']);
  }
}

describe('Creating an invite', () => {
  it('An invite is by default for an agent of all channels, and lasts 7 days', async () => {
    const email = someEmail();
    const made = await invite({ email });
    expect(made.status).toBe(201);
    const { accept_url: _once, ...record } = made.data;
    expect(record).toEqual({
      id: expect.any(String),
      email,
      role: 'agent',
      channel_ids: null,
      status: 'pending',
      invited_by: desk.owner.memberId,
      expires_at: expect.any(String),
      created_at: expect.any(String),
      accepted_at: null,
    });
    expect(Date.parse(record.expires_at) - Date.parse(record.created_at)).toBe(7 * DAY * 1000);
    expect(await listed()).toEqual([record]);
  });

  it('An invite grants the role and channels it was made with', async () => {
    const { role, channel_ids } = await invited(desk, { role: 'admin', channel_ids: [desk.channelId] });
    expect([role, channel_ids]).toEqual(['admin', [desk.channelId]]);
    expect((await invited(desk, { channel_ids: [] })).channel_ids).toEqual([]);
  });

  it('The link of an invite is shown once, with the token in the URL fragment; only its hash is stored', async () => {
    const made = await invite({ email: someEmail() });
    const token = tokenIn(made.data.accept_url);
    expect(made.data.accept_url).toBe(`${world.app.config.dashboardUrl}#invite=${token}`);
    expect(Buffer.from(token.slice('inv_'.length), 'base64url')).toHaveLength(32);
    expect(JSON.stringify(await listed())).not.toContain(token);
    const rows = await world.app.database.query('SELECT token_hash FROM invite WHERE id = $1', [made.data.id]);
    expect(rows).toEqual([{ token_hash: sha256(token) }]);
    const [dump] = await world.app.database.query<{ xml: string }>(
      `SELECT schema_to_xml('public', true, false, '') AS xml`,
    );
    expect(dump?.xml).toContain(made.data.id);
    expect(dump?.xml).not.toContain(token);
  });

  it('An invite made by an API key has no inviter', async () => {
    const made = await invite({ email: someEmail() }, await world.apiKey(desk));
    expect([made.status, made.data.invited_by]).toEqual([201, null]);
  });

  it.each([
    [{ email: 'nobody' }, 'email'],
    [{ email: 'аnna@example.com' }, 'email'],
    [{}, 'email'],
    [{ role: 'king' }, 'role'],
    [{ role: null }, 'role'],
    [{ channel_ids: null }, 'channel_ids'],
    [{ channel_ids: 'all' }, 'channel_ids'],
  ])('An invite is refused (400) for %j', async (body: Record<string, unknown>, field) => {
    const email = field === 'email' ? {} : { email: someEmail() };
    const answer = await invite({ ...email, ...body });
    expect(answer).toMatchObject({ status: 400, error: { code: 'validation_failed', details: [{ field }] } });
  });

  it('An invite for unknown, duplicate or another workspace’s channels is refused (400)', async () => {
    const other = await world.desk();
    const email = someEmail();
    for (const id of [newId(), other.channelId]) {
      const answer = await invite({ email, channel_ids: [desk.channelId, id] });
      expect(answer).toMatchObject({ status: 400, error: { details: [{ field: 'channel_ids[1]' }] } });
    }
    expect((await invite({ email, channel_ids: [desk.channelId, desk.channelId] })).status).toBe(400);
    expect(await listed()).toEqual([]);
  });

  it('An invite is found by its e-mail regardless of case and surrounding spaces', async () => {
    const email = someEmail();
    const first = await invited(desk, { email });
    const again = await invite({ email: ` ${email.toUpperCase()} ` });
    expect([again.status, again.data.id, again.data.email]).toEqual([200, first.id, email]);
  });

  it('An invite for an active member is refused (409 member_exists)', async () => {
    const colleague = await world.colleague(desk);
    for (const email of [colleague.email, desk.owner.email]) {
      expect(await invite({ email })).toMatchObject({ status: 409, error: { code: 'member_exists' } });
    }
  });

  it('A member of another workspace can be invited', async () => {
    const other = await world.desk();
    expect((await invite({ email: other.owner.email })).status).toBe(201);
  });

  it('A repeated Idempotency-Key returns the same invite link, which stays valid', async () => {
    const headers = { 'Idempotency-Key': unique('idem') };
    const body = { email: someEmail() };
    const [first, second] = [await invite(body, owner, headers), await invite(body, owner, headers)];
    expect([second.status, second.data, second.headers['idempotency-replayed']]).toEqual([201, first.data, 'true']);
    expect((await preview(tokenIn(first.data.accept_url))).status).toBe(200);
    const renewed = await invite(body, owner, { 'Idempotency-Key': unique('idem') });
    expect([renewed.status, renewed.data.id]).toEqual([200, first.data.id]);
  });
});

describe('A second invite for an e-mail', () => {
  it('A second invite renews the pending one: new link, new expiry, new grant; the old link is invalid', async () => {
    const [channel, key] = [await world.channel(desk), await world.apiKey(desk)];
    const first = await invited(desk, { role: 'admin', channel_ids: [desk.channelId] });
    world.app.clock.advance(2 * DAY);
    const again = await invite({ email: first.email, channel_ids: [channel.id] }, key);
    expect(again.status).toBe(200);
    expect(again.data).toMatchObject({ id: first.id, role: 'agent', channel_ids: [channel.id], status: 'pending' });
    expect(Date.parse(again.data.expires_at) - Date.parse(first.expires_at)).toBeGreaterThanOrEqual(2 * DAY * 1000);
    expect(again.data.created_at).toBe(first.created_at);
    await expectInvalid(first.token);
    expect((await accept(world, tokenIn(again.data.accept_url))).status).toBe(201);
  });

  it('A second invite also renews an expired one', async () => {
    const [first, key] = [await invited(desk), await world.apiKey(desk)];
    world.app.clock.advance(7 * DAY + 1);
    const again = await invite({ email: first.email }, key);
    expect([again.status, again.data.id, again.data.status, again.data.invited_by]).toEqual([
      200,
      first.id,
      'pending',
      null,
    ]);
    expect((await accept(world, tokenIn(again.data.accept_url))).status).toBe(201);
  });

  it('A second invite after a revoked one is a new invite', async () => {
    const first = await invited(desk);
    await revoke(first.id);
    const again = await invite({ email: first.email });
    expect(again.status).toBe(201);
    expect(again.data.id).not.toBe(first.id);
  });

  it('Racing invites for one e-mail make one pending invite with one valid link, and every answer is right', async () => {
    for (let round = 0; round < 10; round += 1) {
      const email = someEmail();
      const answers = await race(6, n => invite({ email, role: n % 2 === 0 ? 'agent' : 'admin' }));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 200: 5, 201: 1 });
      expect(new Set(answers.map(({ data }) => data.id as string)).size).toBe(1);
      const rows = (await listed()).filter(item => item.email === email);
      expect(rows).toHaveLength(1);
      const validLinks = [];
      for (const { data } of answers) {
        const seen = await preview(tokenIn(data.accept_url));
        if (seen.status === 200) validLinks.push([data.role, seen.data.role]);
      }
      expect(validLinks).toEqual([[rows[0]?.role, rows[0]?.role]]);
    }
  });
});

describe('The right to invite', () => {
  const refused = (code: string) => ({ status: 403, error: { code } });

  it('Owners, admins and API keys may invite; every agent may list invites', async () => {
    const agent = await world.colleague(desk);
    const admin = await world.colleague(desk, { role: 'admin' });
    const made = await invited(desk);
    expect(await invite({ email: someEmail() }, agent.api)).toMatchObject(refused('forbidden'));
    expect(await resend(made.id, agent.api)).toMatchObject(refused('forbidden'));
    expect(await revoke(made.id, agent.api)).toMatchObject(refused('forbidden'));
    expect((await listed('', agent.api)).map(({ id }) => id as string)).toEqual([made.id]);
    for (const by of [admin.api, await world.apiKey(desk)]) {
      expect((await invite({ email: someEmail() }, by)).status).toBe(201);
    }
  });

  it('An admin whose session is limited to some channels may not invite (403 scope_too_narrow)', async () => {
    const admin = await world.colleague(desk, { role: 'admin', channel_ids: [desk.channelId] });
    const made = await invited(desk);
    for (const answer of [
      await invite({ email: someEmail() }, admin.api),
      await resend(made.id, admin.api),
      await revoke(made.id, admin.api),
    ]) {
      expect(answer).toMatchObject(refused('scope_too_narrow'));
    }
  });

  it('An inviter cannot grant a role above its own, nor an API key one above admin (403 role_too_high)', async () => {
    const admin = await world.colleague(desk, { role: 'admin' });
    for (const by of [admin.api, await world.apiKey(desk)]) {
      expect(await invite({ email: someEmail(), role: 'owner' }, by)).toMatchObject(refused('role_too_high'));
      expect((await invite({ email: someEmail(), role: 'admin' }, by)).status).toBe(201);
    }
    expect((await invite({ email: someEmail(), role: 'owner' })).status).toBe(201);
  });

  it('An inviter can neither renew, resend nor revoke an invite for a higher role, and so never sees its link', async () => {
    const made = await invited(desk, { role: 'owner' });
    const admin = await world.colleague(desk, { role: 'admin' });
    for (const by of [admin.api, await world.apiKey(desk)]) {
      for (const answer of [
        await invite({ email: made.email }, by),
        await resend(made.id, by),
        await revoke(made.id, by),
      ]) {
        expect(answer).toMatchObject(refused('role_too_high'));
      }
    }
    expect((await preview(made.token)).status).toBe(200);
  });
});

describe('Listing invites', () => {
  it('Invites are listed newest first, in pages, for one workspace', async () => {
    await invited(await world.desk());
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift((await invited(desk)).id as string);
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await owner.get(`/v1/workspace/invites?limit=2${cursor}`);
      seen.push(...(page.data.items as Json[]).map(({ id }) => id as string));
      cursor = page.data.next_cursor === null ? '' : `&cursor=${page.data.next_cursor}`;
      await invited(desk);
    } while (cursor !== '');
    expect(seen).toEqual(ids);
    expect((await owner.get('/v1/workspace/invites?cursor=x')).error.code).toBe('cursor_invalid');
  });

  it('Invites can be listed by status, and a pending one past its expiry counts as expired', async () => {
    const [old, spent, gone] = [await invited(desk), await invited(desk), await invited(desk)];
    await accept(world, spent.token);
    await revoke(gone.id);
    world.app.clock.advance(7 * DAY + 1);
    const session = await world.anyone.post('/v1/auth/login', { email: desk.owner.email, password: PASSWORD });
    const api = world.as(session.data.token);
    const made = await invited(desk, {}, api);
    const listByStatus = async (status: string) =>
      (await listed(`?status=${status}`, api)).map(item => [item.id, item.status] as unknown);
    expect(await listByStatus('pending')).toEqual([[made.id, 'pending']]);
    expect(await listByStatus('expired')).toEqual([[old.id, 'expired']]);
    expect(await listByStatus('accepted')).toEqual([[spent.id, 'accepted']]);
    expect(await listByStatus('revoked')).toEqual([[gone.id, 'revoked']]);
    expect(await listed('', api)).toHaveLength(4);
    expect((await api.get('/v1/workspace/invites?status=lost')).status).toBe(400);
  });
});

describe('Resending an invite', () => {
  it('Resending an invite gives a new link and 7 more days; the old link is invalid', async () => {
    const [made, key] = [await invited(desk, { role: 'admin' }), await world.apiKey(desk)];
    world.app.clock.advance(DAY);
    const again = await resend(made.id, key);
    expect(again.status).toBe(200);
    expect(again.data).toMatchObject({ id: made.id, role: 'admin', status: 'pending', invited_by: null });
    expect(Date.parse(again.data.expires_at)).toBeGreaterThan(Date.parse(made.expires_at as string));
    await expectInvalid(made.token);
    expect((await accept(world, tokenIn(again.data.accept_url))).data.member.role).toBe('admin');
  });

  it('Resending an expired invite makes it pending again', async () => {
    const [made, key] = [await invited(desk), await world.apiKey(desk)];
    world.app.clock.advance(7 * DAY + 1);
    const again = await resend(made.id, key);
    expect([again.status, again.data.status]).toEqual([200, 'pending']);
    expect((await accept(world, tokenIn(again.data.accept_url))).status).toBe(201);
  });

  it('Resending an invite that is not pending is 409 invite_not_pending; an unknown one is 404', async () => {
    const [spent, gone] = [await invited(desk), await invited(desk)];
    await accept(world, spent.token);
    await revoke(gone.id);
    for (const { id } of [spent, gone]) {
      expect(await resend(id)).toMatchObject({ status: 409, error: { code: 'invite_not_pending' } });
    }
    const foreign = await invited(await world.desk());
    for (const id of [newId(), foreign.id, 'x']) expect((await resend(id)).status).toBe(404);
    expect((await preview(foreign.token)).status).toBe(200);
  });

  it('Resending an invite whose invitee has become an active member is 409 member_exists', async () => {
    const made = await invited(desk);
    const key = await world.apiKey(desk);
    await key.post('/v1/workspace/members', { email: made.email, name: 'Adam', password: PASSWORD });
    expect(await resend(made.id)).toMatchObject({ status: 409, error: { code: 'member_exists' } });
  });
});

describe('Revoking an invite', () => {
  it('Revoking an invite invalidates its link, also when it has expired', async () => {
    const [made, old, key] = [await invited(desk), await invited(desk), await world.apiKey(desk)];
    expect((await revoke(made.id)).data).toEqual({ id: made.id, revoked: true });
    await expectInvalid(made.token);
    world.app.clock.advance(7 * DAY + 1);
    expect((await revoke(old.id, key)).status).toBe(200);
    world.app.clock.reset();
    expect((await listed()).map(({ status }) => status as string)).toEqual(['revoked', 'revoked']);
  });

  it('Revoking an invite that is not pending is 409 invite_not_pending; an unknown or foreign one is 404', async () => {
    const [spent, gone] = [await invited(desk), await invited(desk)];
    await accept(world, spent.token);
    await revoke(gone.id);
    for (const { id } of [spent, gone]) {
      expect(await revoke(id)).toMatchObject({ status: 409, error: { code: 'invite_not_pending' } });
    }
    const foreign = await invited(await world.desk());
    for (const id of [newId(), foreign.id, 'x']) expect((await revoke(id)).status).toBe(404);
    expect((await preview(foreign.token)).status).toBe(200);
  });

  it('A revocation that races with the acceptance leaves a consistent invite: either accepted or revoked', async () => {
    for (let round = 0; round < 10; round += 1) {
      const made = await invited(desk);
      const [revoked, accepted] = await Promise.all([revoke(made.id), accept(world, made.token)]);
      const [row] = (await listed()).filter(({ id }) => id === made.id);
      const members = await owner.get('/v1/workspace/members?limit=200');
      const joined = (members.data.items as Json[]).some(({ email }) => email === made.email);
      const truth = accepted.status === 201 ? ['accepted', true, 409] : ['revoked', false, 200];
      expect([row?.status, joined, revoked.status]).toEqual(truth);
    }
  });
});

describe('Previewing an invite', () => {
  it('A preview shows the workspace, e-mail, role and expiry of an invite, and leaves the link valid', async () => {
    const made = await invited(desk, { role: 'admin' });
    const { name } = (await owner.get('/v1/workspace')).data;
    for (let times = 0; times < 2; times += 1) {
      expect((await preview(made.token)).data).toEqual({
        workspace_name: name,
        email: made.email,
        role: 'admin',
        expires_at: made.expires_at,
      });
    }
    expect((await accept(world, made.token)).status).toBe(201);
  });

  it('A preview of a used, revoked, expired or unknown link is the same 401 each time', async () => {
    const [spent, gone, old] = [await invited(desk), await invited(desk), await invited(desk)];
    await accept(world, spent.token);
    await revoke(gone.id);
    world.app.clock.advance(7 * DAY + 1);
    const answers: unknown[][] = [];
    for (const token of [spent.token, gone.token, old.token, `inv_${'x'.repeat(43)}`, 'x']) {
      const { status, error, headers } = await preview(token);
      answers.push([status, error, headers['www-authenticate']]);
    }
    expect(answers).toEqual(answers.map(() => [401, answers[0]?.[1], 'Bearer']));
    expect(answers[0]?.[1]).toMatchObject({ code: 'invite_invalid' });
    expect((await world.anyone.post('/v1/auth/invite-preview', {})).status).toBe(400);
  });
});

describe('Invite mails', () => {
  let server: MailServer;
  let mailing: World;
  let mailingDesk: Desk;
  beforeAll(async () => {
    server = await MailServer.start();
    mailing = await World.start(
      { SMTP_URL: server.url, DASHBOARD_URL: 'https://desk.example.com/agents?theme=dark' },
      { realMail: true },
    );
    mailingDesk = await mailing.desk();
  });
  afterAll(async () => {
    await mailing.stop();
    await server.stop();
  });

  const post = (body: Record<string, unknown>, headers = {}) =>
    mailingDesk.owner.api.post('/v1/workspace/invites', body, headers);
  /** Waits for as many mails to the address. */
  const mailsTo = (email: string, count = 1) =>
    eventually(() => {
      const mails = server.mailsTo(email);
      return mails.length === count ? mails : undefined;
    });
  const countQueued = async (): Promise<number> => {
    const [row] = await mailing.app.database.query<{ n: number }>('SELECT count(*)::int AS n FROM outgoing_mail');
    return row?.n ?? 0;
  };

  it('Each new invite link is mailed to its invitee, under the dashboard’s URL with its query string kept', async () => {
    const email = someEmail();
    const made = await post({ email });
    expect(made.data.accept_url).toMatch(/^https:\/\/desk\.example\.com\/agents\?theme=dark#invite=inv_/);
    await mailsTo(email);
    const renewed = await post({ email });
    await mailsTo(email, 2);
    const again = await mailingDesk.owner.api.post(`/v1/workspace/invites/${made.data.id}/resend`);
    const mails = await mailsTo(email, 3);
    const links = mails.map(({ text }) => /https:\S+/.exec(text ?? '')?.[0] ?? '');
    const tokens = [...links, ...[made, renewed, again].map(({ data }) => data.accept_url as string)].map(tokenIn);
    expect(new Set(tokens).size).toBe(6);
    for (const link of links) expect(link).toMatch(/^https:\/\/desk\.example\.com\/agents\?theme=dark#invite=inv_/);
    const { name } = (await mailingDesk.owner.api.get('/v1/workspace')).data;
    expect(mails[0]?.subject).toBe(`Invitation to ${name}`);
  });

  it('A repeated Idempotency-Key sends no second invite mail', async () => {
    const before = await countQueued();
    const email = someEmail();
    const headers = { 'Idempotency-Key': unique('idem') };
    await post({ email }, headers);
    await post({ email }, headers);
    expect(await countQueued()).toBe(before + 1);
  });

  it('A refused invite sends no mail', async () => {
    const before = await countQueued();
    expect((await post({ email: someEmail(), channel_ids: [newId()] })).status).toBe(400);
    expect(await countQueued()).toBe(before);
  });

  it('A workspace name can add no second line and no link to the subject or text of an invite mail', async () => {
    const email = someEmail();
    await mailingDesk.owner.api.patch('/v1/workspace', {
      name: 'Shop\r\nBcc: everyone@example.com\n\nYour account is closed, see https://evil.example/login \u202eor www.evil.example',
    });
    await post({ email });
    const [mail] = await mailsTo(email);
    const name =
      'Shop Bcc: everyone@example[.]com Your account is closed, see https[:]//evil[.]example/login or www[.]evil[.]example';
    expect(mail?.subject).toBe(`Invitation to ${name}`);
    expect(mail?.text).toContain(`the customers of ${name}. This link`);
    expect(mail?.text?.match(/https?:\/\/\S+/g)).toHaveLength(1);
    expect((mail?.html || '').match(/https?:\/\/[^"\s<]+/g)).toHaveLength(1);
  });

  it('An invite mail’s subject has at most 200 characters, and a fallback for a workspace name without letters', async () => {
    for (const [name, subject] of [
      ['x'.repeat(200), `Invitation to ${'x'.repeat(185)}…`],
      ['\u200b\u2066', 'Invitation to a support desk'],
    ]) {
      const email = someEmail();
      expect((await mailingDesk.owner.api.patch('/v1/workspace', { name })).status).toBe(200);
      await post({ email });
      expect((await mailsTo(email))[0]?.subject).toBe(subject);
    }
  });

  it('An invite mail that cannot be sent fails nothing: the answer has the link, the log has the error without it', async () => {
    const lines: string[] = [];
    const broken = await World.start(
      { SMTP_URL: `smtp://127.0.0.1:${await freePort()}`, LOG_LEVEL: 'info' },
      { realMail: true, log: { write: line => void lines.push(line) } },
    );
    try {
      const made = await (await broken.desk()).owner.api.post('/v1/workspace/invites', { email: someEmail() });
      expect(made.status).toBe(201);
      const line = await eventually(() => lines.find(text => text.includes('a mail (invite) was not sent')));
      expect(line).toContain('ECONNREFUSED');
      const token = tokenIn(made.data.accept_url);
      expect(lines.join('')).not.toContain(token);
      const shown = await broken.anyone.post('/v1/auth/invite-preview', { invite_token: token });
      expect(shown.status).toBe(200);
    } finally {
      await broken.stop();
    }
  });

  it('Without a mail server no invite is mailed, and the link is only in the answer', async () => {
    const made = await invited(desk);
    expect(world.app.mails.filter(({ to }) => to === made.email)).toEqual([]);
    const queued = await world.app.database.query('SELECT 1 FROM outgoing_mail WHERE subject_id = $1', [made.id]);
    expect(queued).toEqual([]);
  });
});

describe('Invite events', () => {
  it('An invite event records the actor, the address and the invite, without the token', async () => {
    const key = await world.apiKey(desk);
    const made = await invited(desk);
    const again = await resend(made.id, key);
    const renewed = await invite({ email: made.email });
    const session = await accept(world, tokenIn(renewed.data.accept_url));
    const second = await invited(desk);
    await revoke(second.id);
    const types = ['invite.created', 'invite.renewed', 'invite.revoked', 'invite.accepted'];
    const events = await logged(world, desk.workspaceId, ...types);
    const ownerActor = { type: 'member', id: desk.owner.memberId };
    expect(events.map(({ type, actor, payload }) => [type, actor, payload.id, payload.status])).toEqual([
      ['invite.created', ownerActor, made.id, 'pending'],
      ['invite.renewed', { type: 'api_key', id: expect.any(String) }, made.id, 'pending'],
      ['invite.renewed', ownerActor, made.id, 'pending'],
      ['invite.accepted', { type: 'member', id: session.data.member.id }, made.id, 'accepted'],
      ['invite.created', ownerActor, second.id, 'pending'],
      ['invite.revoked', ownerActor, second.id, 'revoked'],
    ]);
    expect(events.every(({ address }) => typeof address === 'string')).toBe(true);
    const secrets = [made.token, tokenIn(again.data.accept_url), tokenIn(renewed.data.accept_url), 'token'];
    for (const secret of secrets) expect(JSON.stringify(events)).not.toContain(secret);
    const [{ accept_url: _link, ...record }] = [second];
    expect(Object.keys(events[0].payload as object).sort()).toEqual(
      Object.keys(record as object)
        .filter(name => name !== 'token')
        .sort(),
    );
  });
});

describe('Rate limits of invites', () => {
  let limited: World;
  beforeAll(async () => {
    const RATE_LIMITS = 'invites=3/3600,register_user=2/60,invite_preview=2/60,register=1000/60';
    limited = await World.start({ RATE_LIMITS, TRUST_PROXY: '1' }, { database: world.app.database });
  });
  afterAll(() => limited.stop());

  it('Inviting and resending count together per workspace, for members and keys alike (429)', async () => {
    const [limitedDesk, other] = [await limited.desk(), await limited.desk()];
    const key = await limited.apiKey(limitedDesk);
    const made = await invited(limitedDesk);
    expect((await resend(made.id, key)).status).toBe(200);
    expect((await invite({ email: someEmail() }, key)).status).toBe(201);
    for (const answer of [await invite({ email: someEmail() }, limitedDesk.owner.api), await resend(made.id, key)]) {
      expect([answer.status, answer.error.code]).toEqual([429, 'rate_limited']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await invited(other)).status).toBe('pending');
  });

  it.each([
    ['invite-preview', (token: string) => ({ invite_token: token })],
    ['register-user', (token: string) => ({ invite_token: token, name: 'Gina', password: PASSWORD })],
  ])('The %s limit counts failures only, per address (429)', async (route, body) => {
    const made = await invited(await limited.desk());
    const post = (token: string, address: string) =>
      limited.anyone.post(`/v1/auth/${route}`, body(token), { 'X-Forwarded-For': address });
    const [mine, theirs] = route === 'register-user' ? ['10.1.1.1', '10.1.1.2'] : ['10.2.1.1', '10.2.1.2'];
    if (route === 'invite-preview') {
      for (let times = 0; times < 4; times += 1) expect((await post(made.token, mine)).status).toBe(200);
    }
    for (let times = 0; times < 2; times += 1) expect((await post('inv_x', mine)).status).toBe(401);
    const refused = await post(made.token, mine);
    expect([refused.status, refused.error.code]).toEqual([429, 'rate_limited']);
    expect((await post(made.token, theirs)).status).toBeLessThan(300);
  });
});
