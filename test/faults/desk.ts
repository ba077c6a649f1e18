import type { Json } from '../support/json.js';
import { PASSWORD, unique } from '../support/world.js';
import type { Ask, Http } from './client.js';
import { ALL_PATIENCE_MS } from './client.js';
import type { Ears } from './history.js';

export interface Visitor {
  /** Its mark, `v0`; in whatever it says. */
  mark: string;
  channel: Channel;
  token: string;
  contactId: string;
  conversationId: string;
}

export interface Channel {
  mark: string;
  id: string;
  widgetToken: string;
}

export interface Staff {
  name: string;
  token: string;
  refreshToken: string;
  memberId: string;
  email: string;
  ears: Ears;
  channelIds: string[] | null;
}

/** One workspace of a seed: two channels, three visitors who have begun to talk, and those who answer. */
export interface FaultyDesk {
  mark: string;
  workspaceId: string;
  channels: [Channel, Channel];
  visitors: Visitor[];
  owner: Staff;
  /** Sees the first channel only. */
  scoped: Staff;
  /** Will be deactivated. */
  leaver: Staff;
  /** The same person as `scoped`, signed in once more; will sign out. */
  second: Staff;
  key: string;
  /** Will be revoked. */
  shortKey: { id: string; key: string };
}

/** Nothing is broken yet while a desk is made: whatever is refused is a fault of the suite. */
export async function openDesk(http: Http, url: string): Promise<FaultyDesk> {
  const must = async (method: string, path: string, token?: string, body?: object): Promise<Json> => {
    const ask: Ask = { method, path: `/v1${path}`, ...(token ? { token } : {}), ...(body ? { body } : {}) };
    let made = await http.ask(url, ask, ALL_PATIENCE_MS);
    // a busy machine answers late, and the service says so
    for (let tries = 0; made.status === 503 && tries < 5; tries += 1) made = await http.ask(url, ask, ALL_PATIENCE_MS);
    const { status, text, body: answer } = made;
    if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${text}`);
    return answer.data;
  };
  const mark = `w${unique('').replace(/-/g, '')}`;
  const email = `owner@${mark}.example.com`;
  const founder = { workspace_name: mark, name: 'Olivia', email, password: PASSWORD };
  const session = await must('POST', '/auth/register', undefined, founder);
  const workspaceId: string = session.workspace.id;
  const whole: Ears = { workspace: mark, channels: null, visitor: null, notes: true };
  const first = (await must('GET', '/channels', session.token)).items[0];
  const other = await must('POST', '/channels', session.token, { name: 'Other' });
  const channels: [Channel, Channel] = [toChannel('c0', first), toChannel('c1', other)];
  const { key } = await must('POST', '/api-keys', session.token, { name: 'backend' });
  const shortKey = await must('POST', '/api-keys', session.token, { name: 'short' });

  const colleague = async (name: string, channelIds: string[] | null, ears: Ears): Promise<Staff> => {
    const person = { name, email: `${name}@${mark}.example.com`, password: PASSWORD };
    await must('POST', '/workspace/members', key, { ...person, ...(channelIds ? { channel_ids: channelIds } : {}) });
    return signIn(person.email, name, channelIds, ears);
  };
  const signIn = async (who: string, name: string, channelIds: string[] | null, ears: Ears): Promise<Staff> =>
    toStaff(`${mark} ${name}`, await must('POST', '/auth/login', undefined, { email: who, password: PASSWORD }), {
      email: who,
      ears,
      channelIds,
    });
  const narrow: Ears = { ...whole, channels: ['c0'] };
  const scoped = await colleague('scoped', [channels[0].id], narrow);

  const visitors: Visitor[] = [];
  for (const [index, channel] of [channels[0], channels[0], channels[1]].entries()) {
    const own = await must('POST', '/widget/session', undefined, { widget_token: channel.widgetToken });
    const hello = { content: `${mark}.${channel.mark}.v${index}.said.0` };
    const begun = await must('POST', '/widget/conversations', own.visitor_token, { message: hello });
    visitors.push({
      mark: `v${index}`,
      channel,
      token: own.visitor_token,
      contactId: own.contact_id,
      conversationId: begun.conversation.id,
    });
  }
  return {
    mark,
    workspaceId,
    channels,
    visitors,
    owner: toStaff(`${mark} owner`, session, { email, ears: whole, channelIds: null }),
    scoped,
    leaver: await colleague('leaver', null, whole),
    second: await signIn(scoped.email, 'second', scoped.channelIds, narrow),
    key,
    shortKey: { id: shortKey.id, key: shortKey.key },
  };
}

function toChannel(mark: string, { id, widget_token: widgetToken }: Json): Channel {
  return { mark, id, widgetToken };
}

function toStaff(name: string, session: Json, more: Pick<Staff, 'email' | 'ears' | 'channelIds'>): Staff {
  const { token, refresh_token: refreshToken, member } = session;
  return { name, token, refreshToken, memberId: member.id, ...more };
}
