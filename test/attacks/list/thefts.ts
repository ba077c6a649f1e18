import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { callApi, beginConversation, openDesk } from '../../support/outside.js';
import type { OutsideDesk } from '../../support/outside.js';
import { call } from '../../support/service-process.js';
import { PASSWORD, unique } from '../../support/world.js';
import type { Arena } from '../arena.js';
import type { Attack, Outcome } from '../attack.js';

type Answer = Awaited<ReturnType<typeof call>>;

const outcome = ({ status, body }: Answer) => `${status}${body?.error ? ` ${body.error.code}` : ''}`;

/** An attack made of requests. `broken` describes each that should have been refused and was not. */
function theft(name: string, run: (arena: Arena) => Promise<Outcome>): Attack {
  return { name, run };
}

async function colleague(
  url: string,
  desk: OutsideDesk,
  more: object = {},
): Promise<{ id: string; token: string; email: string }> {
  const email = `${unique('a')}@example.com`;
  const made = await callApi('POST', `${url}/v1/workspace/members`, desk.key, {
    email,
    name: 'A',
    password: PASSWORD,
    ...more,
  });
  const session = await callApi('POST', `${url}/v1/auth/login`, undefined, { email, password: PASSWORD });
  return { id: made.id, token: session.token, email };
}

const visit = (url: string, desk: OutsideDesk, more: object = {}) =>
  callApi('POST', `${url}/v1/widget/session`, undefined, { widget_token: desk.widgetToken, ...more });

export const THEFTS: readonly Attack[] = [
  theft('an admin creates a session of the owner and makes itself owner', async ({ url }) => {
    const desk = await openDesk(url);
    const admin = await colleague(url, desk, { role: 'admin' });
    const { key } = await callApi('POST', `${url}/v1/api-keys`, admin.token, { name: 'mine' });
    const owner = await callApi('POST', `${url}/v1/auth/agent-token`, key, { email: desk.email });
    const path = `${url}/v1/workspace/members/${admin.id}`;
    const promoted = await call('PATCH', path, { token: owner.token, body: { role: 'owner' } });
    const deactivated = await call('POST', `${url}/v1/workspace/members/${desk.memberId}/deactivate`, {
      token: owner.token,
    });
    const broken = [promoted, deactivated].filter(({ status }) => status < 400).map(() => 'the admin acted as owner');
    return { figures: { 'promote to owner': outcome(promoted), 'deactivate the owner': outcome(deactivated) }, broken };
  }),
  theft("a session created by an API key switches to the member's other workspace", async ({ url }) => {
    const [mallory, victim] = [await openDesk(url), await openDesk(url)];
    await callApi('POST', `${url}/v1/workspace/members`, mallory.key, { email: victim.email, name: 'Victim' });
    const session = await callApi('POST', `${url}/v1/auth/agent-token`, mallory.key, { email: victim.email });
    const body = { workspace_id: victim.workspaceId };
    const moved = await call('POST', `${url}/v1/auth/agent-token`, { token: session.token, body });
    return {
      figures: { outcome: outcome(moved) },
      broken: moved.status < 400 ? ['the session reached the other workspace'] : [],
    };
  }),
  theft('an API key for contacts takes over a verified contact', async ({ url }) => {
    const desk = await openDesk(url);
    const visitor = await visit(url, desk, { external_id: unique('browser') });
    const contacts = await callApi('GET', `${url}/v1/contacts`, desk.key);
    const { key } = await callApi('POST', `${url}/v1/api-keys`, desk.token, {
      name: 'crm',
      scopes: ['contacts:read', 'contacts:write'],
    });
    const shown = (await callApi('GET', `${url}/v1/contacts/${visitor.contact_id}`, key)).external_id as string | null;
    const other = await callApi('POST', `${url}/v1/contacts`, desk.key, { name: 'Other' });
    const merged = await call('POST', `${url}/v1/contacts/${other.id}/merge`, {
      token: key,
      body: { from_id: visitor.contact_id },
    });
    const channelKey = (
      await callApi('POST', `${url}/v1/api-keys`, desk.token, {
        name: 'ops',
        scopes: ['channels:read', 'channels:write'],
      })
    ).key;
    const rotated = await call('POST', `${url}/v1/channels/${desk.channelId}/rotate-identity-secret`, {
      token: channelKey,
    });
    const broken = [
      ...(shown === null ? [] : ['the external_id of an unverified contact is visible to a key for contacts']),
      ...(merged.status < 400 ? ['a key without conversations:read merged contacts'] : []),
      ...(rotated.status < 400 ? ['a key with channels:write read the identity secret'] : []),
    ];
    return {
      figures: {
        seen: contacts.items.length,
        external_id: String(shown !== null),
        merge: outcome(merged),
        secret: outcome(rotated),
      },
      broken,
    };
  }),
  theft('sockets renew their token while their channels are removed', async arena => {
    const [near, far] = arena.urls as [string, string];
    const desk = await openDesk(near);
    const other = await callApi('POST', `${near}/v1/channels`, desk.token, { name: 'Other' });
    const agents = await Promise.all([colleague(near, desk), colleague(near, desk)]);
    const reached = new Set<WebSocket>();
    let listening = false;
    const sockets = agents.flatMap(({ token }) =>
      Array.from({ length: 20 }, (_nothing, index) => {
        const socket = new WebSocket(`${(index % 2 ? near : far).replace('http', 'ws')}/ws/agent?token=${token}`);
        socket.on('error', () => undefined);
        socket.on('message', (data: Buffer) => {
          if (listening && data.includes('"message.created"')) reached.add(socket);
        });
        return { socket, token };
      }),
    );
    await Promise.all(sockets.map(({ socket }) => new Promise(done => socket.once('open', done).once('close', done))));
    const cut = agents.map(({ id }) =>
      callApi('PATCH', `${near}/v1/workspace/members/${id}`, desk.token, { channel_ids: [other.id] }),
    );
    for (let round = 0; round < 20; round += 1) {
      for (const { socket, token } of sockets) {
        if (round % 7 === 0 && socket.readyState === WebSocket.OPEN)
          socket.send(JSON.stringify({ type: 'auth', token }));
      }
      await delay(15);
    }
    await Promise.all(cut);
    await delay(1_500);
    listening = true;
    await beginConversation(near, desk);
    await delay(2_500);
    for (const { socket } of sockets) socket.terminate();
    const broken = reached.size > 0 ? [`${reached.size} of 40 sockets still receive events of a removed channel`] : [];
    return { figures: { 'still receiving': `${reached.size} of 40` }, broken };
  }),
  theft("another workspace's owner sets the first password of a user", async ({ url }) => {
    const [home, mallory] = [await openDesk(url), await openDesk(url)];
    const email = `${unique('victim')}@example.com`;
    const member = await callApi('POST', `${url}/v1/workspace/members`, home.key, { email, name: 'Victim' });
    const session = await callApi('POST', `${url}/v1/auth/agent-token`, home.key, { email });
    const invite = await callApi('POST', `${url}/v1/workspace/invites`, mallory.token, { email, role: 'agent' });
    const invite_token = String(invite.accept_url).split('#invite=')[1];
    const body = { invite_token, name: 'Mallory', password: 'the password of an attacker' };
    const accepted = await call('POST', `${url}/v1/auth/register-user`, { body });
    const me = await call('GET', `${url}/v1/auth/me`, { token: session.token });
    const broken = [
      ...(accepted.status < 400 ? ['the attacker set the password'] : []),
      ...(me.status === 200 ? [] : ["the attacker ended the victim's session"]),
    ];
    return {
      figures: { member: member.status, accept: outcome(accepted), "the victim's session": outcome(me) },
      broken,
    };
  }),
  theft('visitors whose verification no longer counts', async ({ url }) => {
    const desk = await openDesk(url);
    const conversation = await beginConversation(url, desk);
    const body = { identity_verification: 'required' };
    await callApi('PATCH', `${url}/v1/channels/${desk.channelId}`, desk.token, body);
    const after = await call('GET', `${url}/v1/widget/conversations`, { token: conversation.token });
    return {
      figures: { outcome: outcome(after) },
      broken: after.status === 200 ? ['an unverified visitor still has access'] : [],
    };
  }),
  theft('three spellings of one mailbox', async ({ url }) => {
    const domain = `${unique('d')}-bücher.example`;
    const spellings = [
      `anna@${domain}`,
      `Anna@${domain.toUpperCase()}`,
      `anna@${new URL(`http://${domain}`).hostname}`,
    ];
    const answers: string[] = [];
    for (const email of spellings) {
      const body = { workspace_name: 'W', name: 'Anna', email, password: `password of spelling ${answers.length}` };
      answers.push(outcome(await call('POST', `${url}/v1/auth/register`, { body })));
    }
    const made = answers.filter(answer => answer === '201').length;
    return { figures: { answers: answers.join(', ') }, broken: made === 1 ? [] : [`${made} users of one mailbox`] };
  }),
];
