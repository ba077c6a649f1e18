import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

let world: World;
let desk: Desk;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

async function resetWorld(): Promise<void> {
  world.app.clock.reset();
  desk = await world.desk();
}

describe('A socket whose token is about to expire', () => {
  it('A socket receives token.expiring once, a minute before expiry, and closes with 4003 without a new token', async () => {
    await resetWorld();
    const socket = await world.agentSocket(desk.owner);
    world.app.clock.advance(15 * 60 - 50);
    const { data } = await socket.next('token.expiring');
    expect(data.in_seconds).toBeLessThanOrEqual(50);
    expect(data.in_seconds).toBeGreaterThan(30);
    await socket.settled();
    world.app.clock.advance(60);
    expect((await socket.end()).code).toBe(4003);
    expect(socket.of('token.expiring')).toHaveLength(1);
  });

  it('A socket renewed with a token of the same session stays open and receives the new expiry', async () => {
    await resetWorld();
    const socket = await world.agentSocket(desk.owner);
    world.app.clock.advance(14 * 60 + 30);
    await socket.next('token.expiring');
    const renewed = await world.anyone.post('/v1/auth/refresh', { refresh_token: desk.owner.refreshToken });
    socket.send({ type: 'auth', token: renewed.data.token });
    const { data } = await socket.next('authenticated');
    const until = Date.parse(data.expires_at as string) - world.app.clock.now().getTime();
    expect(until).toBeGreaterThan(14 * 60_000);
    world.app.clock.advance(60);
    const visitor = await world.visitor(desk);
    await world.conversation(visitor, 'still there?');
    await socket.next('message.created', frame => frame.data.message.content === 'still there?');
    await socket.close();
  });

  it('A visitor’s socket renewed with the token of a new widget session stays open', async () => {
    await resetWorld();
    const visitor = await world.visitor(desk);
    const socket = await world.visitorSocket(visitor);
    world.app.clock.advance(24 * 3600 - 30);
    await socket.next('token.expiring');
    const body = { widget_token: desk.widgetToken };
    const session = await world.anyone.post('/v1/widget/session', body, { Authorization: `Bearer ${visitor.token}` });
    socket.send({ type: 'auth', data: { token: session.data.visitor_token } });
    await socket.next('authenticated');
    world.app.clock.advance(60);
    await socket.settled();
    await socket.close();
  });

  it('A socket renewed with another session’s token ends with that session, not with its first one', async () => {
    await resetWorld();
    const socket = await world.agentSocket(desk.owner);
    const again = await world.anyone.post('/v1/auth/login', {
      email: desk.owner.email,
      password: 'correct horse battery',
    });
    socket.send({ type: 'auth', token: again.data.token });
    await socket.next('authenticated');
    await world.anyone.post('/v1/auth/logout', { refresh_token: desk.owner.refreshToken });
    await socket.settled();
    await world.anyone.post('/v1/auth/logout', { refresh_token: again.data.refresh_token });
    expect((await socket.end()).code).toBe(4502);
  });

  it.each<[string, (desk: Desk) => Promise<string>]>([
    ['another member', async at => (await world.colleague(at)).token],
    ['another workspace', async () => (await world.desk()).owner.token],
    [
      'another scope',
      async at =>
        (await at.owner.api.post('/v1/auth/agent-token', { channel_ids: [at.channelId] })).data.token as string,
    ],
  ])('A socket renewed with a token of %s closes with 4502', async (_owner, token) => {
    await resetWorld();
    const socket = await world.agentSocket(desk.owner);
    socket.send({ type: 'auth', token: await token(desk) });
    expect((await socket.end()).code).toBe(4502);
  });

  it('An invalid token in `auth` is answered with an error, and the socket stays open', async () => {
    await resetWorld();
    const visitor = await world.visitor(desk);
    const socket = await world.agentSocket(desk.owner);
    for (const token of ['nonsense', visitor.token, desk.owner.refreshToken, '', 7])
      socket.send({ type: 'auth', token });
    await socket.settled();
    expect(socket.of('error').map(({ error }) => error?.code)).toEqual([
      'invalid_token',
      'agent_token_required',
      'agent_token_required',
      'validation_failed',
      'validation_failed',
    ]);
    await socket.close();
  });
});
