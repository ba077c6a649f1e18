import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Answer } from '../support/http.js';
import { accept, invited, logged, someEmail, tokenIn } from '../support/invites.js';
import type { Json } from '../support/json.js';
import { countsOf, race } from '../support/race.js';
import { sessionBySso } from '../support/sso.js';
import type { Desk } from '../support/world.js';
import { PASSWORD, World } from '../support/world.js';

const MALLORYS = 'the password of an attacker';
const outcome = (answer: Answer<Json>) => [answer.status, answer.error?.code];

let world: World;
let home: Desk;
let evil: Desk;
beforeAll(async () => {
  world = await World.start({ SMTP_URL: 'smtp://mail.example.com' });
});
afterAll(() => world.stop());
beforeEach(async () => {
  [home, evil] = [await world.desk(), await world.desk()];
});

const linksFor = (email: string, on = world) =>
  on.app.mails.filter(({ to }) => to === email).flatMap(({ text }) => /\S+#invite=\S+/.exec(text) ?? []);

/** The token of the mail to this address: of the first one, or of the one with this index. */
async function mailedTo(email: string, index = 0, on = world): Promise<string> {
  return tokenIn(await eventually(() => linksFor(email, on)[index]));
}

/** A member without a password, created by an API key of the desk. */
async function ssoOnly(desk = home, body: object = {}): Promise<{ email: string; memberId: string }> {
  const email = someEmail();
  const key = await world.apiKey(desk);
  const made = await key.post('/v1/workspace/members', { email, name: 'Vera', ...body });
  expect(made.status).toBe(201);
  return { email, memberId: made.data.id };
}

async function passwordHash(email: string): Promise<string | null> {
  const sql = 'SELECT password_hash AS hash FROM user_account WHERE email = $1';
  const [user] = await world.app.database.query<{ hash: string | null }>(sql, [email]);
  return user?.hash ?? null;
}

const login = (email: string, password = PASSWORD) => world.anyone.post('/v1/auth/login', { email, password });
const preview = (token: string) => world.anyone.post('/v1/auth/invite-preview', { invite_token: token });

describe('The two tokens of an invite', () => {
  it('The mailed token differs from the one in the answer, and each of them opens the invite', async () => {
    for (const usedToken of ['shown', 'mailed']) {
      const invite = await invited(home);
      const mailed = await mailedTo(invite.email as string);
      expect(mailed).not.toBe(invite.token);
      for (const token of [invite.token, mailed]) expect((await preview(token)).data.email).toBe(invite.email);
      expect((await accept(world, usedToken === 'shown' ? invite.token : mailed)).status).toBe(201);
      for (const token of [invite.token, mailed]) {
        expect(outcome(await preview(token))).toEqual([401, 'invite_invalid']);
        expect(outcome(await accept(world, token))).toEqual([401, 'invite_invalid']);
      }
    }
  });

  it('Both tokens of an invite used at once make one acceptance', async () => {
    for (let round = 0; round < 10; round += 1) {
      const invite = await invited(home);
      const tokens = [invite.token, await mailedTo(invite.email as string)];
      const answers = await race(6, n => accept(world, tokens[n % 2] ?? ''));
      expect(countsOf(answers.map(({ status }) => status))).toEqual({ 201: 1, 401: 5 });
      const accepted = await logged(world, home.workspaceId, 'invite.accepted');
      expect(accepted.filter(({ payload }) => payload.id === invite.id)).toHaveLength(1);
    }
  });

  it('Renewing or resending an invite invalidates both of its old tokens, and revoking it both current ones', async () => {
    const path = '/v1/workspace/invites';
    const first = await invited(home);
    const email = first.email as string;
    const old = [first.token, await mailedTo(email)];
    const renewed = await home.owner.api.post(path, { email });
    old.push(tokenIn(renewed.data.accept_url), await mailedTo(email, 1));
    const resent = await home.owner.api.post(`${path}/${first.id}/resend`);
    const last = [tokenIn(resent.data.accept_url), await mailedTo(email, 2)];
    for (const token of old) expect(outcome(await accept(world, token))).toEqual([401, 'invite_invalid']);
    for (const token of last) expect((await preview(token)).status).toBe(200);
    await home.owner.api.delete(`${path}/${first.id}`);
    for (const token of last) expect(outcome(await accept(world, token))).toEqual([401, 'invite_invalid']);
  });

  it('Invite tokens are stored as hashes, and without a mail server there is no mailed one', async () => {
    const invite = await invited(home);
    const mailed = await mailedTo(invite.email as string);
    const [dump] = await world.app.database.query<{ xml: string }>(
      `SELECT schema_to_xml('public', true, false, '') AS xml`,
    );
    for (const token of [invite.token, mailed]) expect(dump?.xml).not.toContain(token);
    const silent = await World.start({}, { database: world.app.database });
    try {
      const made = await silent.as(home.owner.token).post('/v1/workspace/invites', { email: someEmail() });
      const sql = 'SELECT mailed_token_hash AS hash FROM invite WHERE id = $1';
      expect(await world.app.database.query(sql, [made.data.id])).toEqual([{ hash: null }]);
    } finally {
      await silent.stop();
    }
  });
});

describe('An owner of another workspace who invites a user without a password', () => {
  it('An inviter’s link cannot set an invitee’s first password (422 mailbox_unproved); a new link is mailed', async () => {
    const victim = await ssoOnly();
    const session = await sessionBySso(world, await world.apiKey(home), victim.email);
    const invite = await invited(evil, { email: victim.email });
    await mailedTo(victim.email);
    const answer = await accept(world, invite.token, { password: MALLORYS });
    expect(outcome(answer)).toEqual([422, 'mailbox_unproved']);
    expect(await passwordHash(victim.email)).toBeNull();
    expect(outcome(await login(victim.email, MALLORYS))).toEqual([401, 'invalid_credentials']);
    expect((await world.as(session.token).get('/v1/auth/me')).status).toBe(200);
    const refused = await eventually(async () => (await logged(world, evil.workspaceId, 'session.refused'))[0]);
    expect(refused.payload).toMatchObject({ method: 'invite', reason: 'mailbox_unproved' });
    // the user itself follows the new mail, and no other link opens more than before
    const mailed = await mailedTo(victim.email, 1);
    const accepted = await accept(world, mailed);
    expect([accepted.status, accepted.data.workspace.id]).toEqual([201, evil.workspaceId]);
    expect((await login(victim.email)).data.workspaces).toHaveLength(1);
  });

  it('An inviter cannot set the first password of a user deactivated elsewhere, even as its own member (422)', async () => {
    const victim = await ssoOnly();
    await home.owner.api.post(`/v1/workspace/members/${victim.memberId}/deactivate`);
    const evilKey = await world.apiKey(evil);
    await evilKey.post('/v1/workspace/members', { email: victim.email, name: 'Vera', password: MALLORYS });
    expect(await passwordHash(victim.email)).toBeNull();
    const invite = await invited(evil, { email: victim.email });
    expect(outcome(await accept(world, invite.token, { password: MALLORYS }))).toEqual([422, 'mailbox_unproved']);
    expect(await passwordHash(victim.email)).toBeNull();
  });

  it('Refused acceptances mail at most five links an hour, and stay refused', async () => {
    const limited = await World.start(
      { SMTP_URL: 'smtp://mail.example.com', RATE_LIMITS: 'password_forgot=5/3600' },
      { database: world.app.database },
    );
    try {
      const victim = await ssoOnly();
      const invite = await invited(evil, { email: victim.email }, limited.as(evil.owner.token));
      for (let times = 0; times < 7; times += 1) {
        expect(outcome(await accept(limited, invite.token))).toEqual([422, 'mailbox_unproved']);
      }
      await eventually(() => linksFor(victim.email, limited)[5]);
      expect(linksFor(victim.email, limited)).toHaveLength(6);
      expect((await accept(limited, await mailedTo(victim.email, 5, limited))).status).toBe(201);
    } finally {
      await limited.stop();
    }
  });

  it('A refused acceptance mails no link once the invite was renewed: the renewed link stays valid', async () => {
    const victim = await ssoOnly();
    const invite = await invited(evil, { email: victim.email });
    const renewing = evil.owner.api.post('/v1/workspace/invites', { email: victim.email });
    const [answer, renewed] = await Promise.all([accept(world, invite.token), renewing]);
    expect([401, 422]).toContain(answer.status);
    expect((await preview(tokenIn(renewed.data.accept_url))).status).toBe(200);
    const previews = await Promise.all(linksFor(victim.email).map(link => preview(tokenIn(link))));
    expect(previews.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('The invite link that the inviter is shown', () => {
  it('An inviter’s link admits a new user, and a member of this workspace alone who has no password', async () => {
    const stranger = await invited(home);
    expect((await accept(world, stranger.token)).status).toBe(201);
    const { email, memberId } = await ssoOnly();
    const invite = await invited(home, { email });
    const accepted = await accept(world, invite.token);
    expect([accepted.status, accepted.data.member.id]).toEqual([201, memberId]);
  });

  it('An inviter’s link admits a user of another workspace only with that user’s password', async () => {
    const invite = await invited(evil, { email: home.owner.email });
    expect(outcome(await accept(world, invite.token, { password: MALLORYS }))).toEqual([401, 'invalid_credentials']);
    expect((await accept(world, invite.token)).status).toBe(201);
  });
});

describe('Changing a password', () => {
  it('A password change ends the sessions opened with the password, not those opened by other workspaces’ keys', async () => {
    const { email } = home.owner;
    const [homeKey, evilKey] = [await world.apiKey(home), await world.apiKey(evil)];
    await evilKey.post('/v1/workspace/members', { email, name: 'Olivia' });
    const [passwordSession, homeSession, evilSession] = [
      (await login(email)).data,
      (await homeKey.post('/v1/auth/agent-token', { email })).data,
      await sessionBySso(world, evilKey, email),
    ];
    const socket = await world.agentSocket(world.agentOf(evilSession, email));
    const change = { old_password: PASSWORD, password: `${PASSWORD}, changed` };
    expect((await home.owner.api.post('/v1/auth/password', change)).status).toBe(200);
    expect((await home.owner.api.get('/v1/auth/me')).status).toBe(200);
    for (const { token } of [passwordSession, homeSession]) {
      expect(outcome(await world.as(token).get('/v1/auth/me'))).toEqual([401, 'token_revoked']);
    }
    expect((await world.as(evilSession.token).get('/v1/auth/me')).status).toBe(200);
    expect((await world.anyone.post('/v1/auth/refresh', { refresh_token: evilSession.refresh_token })).status).toBe(
      200,
    );
    await socket.close();
  });

  it('A user who changes a password set by another workspace ends no session of this workspace', async () => {
    const email = someEmail();
    await (await world.apiKey(evil)).post('/v1/workspace/members', { email, name: 'Vera', password: MALLORYS });
    const homeKey = await world.apiKey(home);
    await homeKey.post('/v1/workspace/members', { email, name: 'Vera' });
    const session = await sessionBySso(world, homeKey, email);
    const attacker = (await login(email, MALLORYS)).data;
    for (const [old_password, password] of [
      [MALLORYS, `${MALLORYS} 2`],
      [`${MALLORYS} 2`, MALLORYS],
    ]) {
      const changed = await world.as(attacker.token).post('/v1/auth/password', { old_password, password });
      expect(changed.status).toBe(200);
    }
    expect((await world.as(session.token).get('/v1/auth/me')).status).toBe(200);
  });
});
