import type { Json } from '../support/json.js';
import { PASSWORD, unique } from '../support/world.js';
import type { RequestSpec, Http } from './client.js';
import { ALL_PATIENCE_MS } from './client.js';
import type { Visibility } from './history.js';

export interface Visitor {
  /** Its mark, such as `v0`, part of every text it sends. */
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
  visibility: Visibility;
  channelIds: string[] | null;
}

/** One workspace of a seed: two channels, three visitors with conversations, and the agents. */
export interface FaultyDesk {
  mark: string;
  workspaceId: string;
  channels: [Channel, Channel];
  visitors: Visitor[];
  owner: Staff;
  /** Limited to the first channel. */
  scoped: Staff;
  /** Will be deactivated. */
  leaver: Staff;
  /** The same member as `scoped` in another session, which will log out. */
  second: Staff;
  key: string;
  /** Will be revoked. */
  shortKey: { id: string; key: string };
}

/** Creates a desk while nothing is broken: any refusal is an error of the suite. */
export async function openDesk(http: Http, url: string): Promise<FaultyDesk> {
  const must = async (method: string, path: string, token?: string, body?: object): Promise<Json> => {
    const spec: RequestSpec = { method, path: `/v1${path}`, ...(token ? { token } : {}), ...(body ? { body } : {}) };
    let made = await http.send(url, spec, ALL_PATIENCE_MS);
    // A busy machine may answer 503.
    for (let tries = 0; made.status === 503 && tries < 5; tries += 1)
      made = await http.send(url, spec, ALL_PATIENCE_MS);
    const { status, text, body: answer } = made;
    if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${text}`);
    return answer.data;
  };
  const mark = `w${unique('').replace(/-/g, '')}`;
  const email = `owner@${mark}.example.com`;
  const founder = { workspace_name: mark, name: 'Olivia', email, password: PASSWORD };
  const session = await must('POST', '/auth/register', undefined, founder);
  const workspaceId: string = session.workspace.id;
  const whole: Visibility = { workspace: mark, channels: null, visitor: null, privateNotes: true };
  const first = (await must('GET', '/channels', session.token)).items[0];
  const other = await must('POST', '/channels', session.token, { name: 'Other' });
  const channels: [Channel, Channel] = [toChannel('c0', first), toChannel('c1', other)];
  const { key } = await must('POST', '/api-keys', session.token, { name: 'backend' });
  const shortKey = await must('POST', '/api-keys', session.token, { name: 'short' });

  const colleague = async (name: string, channelIds: string[] | null, visibility: Visibility): Promise<Staff> => {
    const person = { name, email: `${name}@${mark}.example.com`, password: PASSWORD };
    await must('POST', '/workspace/members', key, { ...person, ...(channelIds ? { channel_ids: channelIds } : {}) });
    return signIn(person.email, name, channelIds, visibility);
  };
  const signIn = async (
    email: string,
    name: string,
    channelIds: string[] | null,
    visibility: Visibility,
  ): Promise<Staff> =>
    toStaff(`${mark} ${name}`, await must('POST', '/auth/login', undefined, { email, password: PASSWORD }), {
      email,
      visibility,
      channelIds,
    });
  const narrow: Visibility = { ...whole, channels: ['c0'] };
  const scoped = await colleague('scoped', [channels[0].id], narrow);

  const visitors: Visitor[] = [];
  for (const [index, channel] of [channels[0], channels[0], channels[1]].entries()) {
    const opened = await must('POST', '/widget/session', undefined, { widget_token: channel.widgetToken });
    const hello = { content: `${mark}.${channel.mark}.v${index}.said.0` };
    const begun = await must('POST', '/widget/conversations', opened.visitor_token, { message: hello });
    visitors.push({
      mark: `v${index}`,
      channel,
      token: opened.visitor_token,
      contactId: opened.contact_id,
      conversationId: begun.conversation.id,
    });
  }
  return {
    mark,
    workspaceId,
    channels,
    visitors,
    owner: toStaff(`${mark} owner`, session, { email, visibility: whole, channelIds: null }),
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

function toStaff(name: string, session: Json, more: Pick<Staff, 'email' | 'visibility' | 'channelIds'>): Staff {
  const { token, refresh_token: refreshToken, member } = session;
  return { name, token, refreshToken, memberId: member.id, ...more };
}
