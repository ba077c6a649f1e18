import { beforeAll, describe, expect, it } from '@jest/globals';
import { compileWithSdk } from '../support/compile.js';

/** Calls that the compiler must accept, and calls it must refuse because the service would. */
const ACCEPTED: Record<string, string> = {
  'a contact with all of its details': `agent.contacts.create({ name: 'Vera', email: 'v@example.com', custom_attributes: { plan: 1 } })`,
  'null to clear fields of a contact': `agent.contacts.update('c', { name: null, external_id: null, avatar_url: null })`,
  'a change of some fields of a channel': `agent.channels.update('c', { widget_config: { theme: { logo_url: null } }, auto_resolve_hours: null })`,
  'a channel with a name and one setting': `agent.channels.create({ name: 'Shop', widget_config: { features: { csat: false } } })`,
  'a private note of an agent': `agent.conversations.send('c', { content: 'Hm.', private: true, expected_last_seq: 3 })`,
  'a conversation with its first message': `server.conversations.create({ contact_id: 'c', channel_id: 'd', message: { content: 'Hi', bot_id: 'b' } })`,
  'a message sent by a server as a member': `server.conversations.send('c', { content: 'Hi', member_id: 'm' })`,
  'a list with filters': `agent.conversations.list({ status: 'open', assignee: 'me', sort: 'waiting', limit: 10 })`,
  'a list with several values of a filter': `agent.conversations.list({ status: ['open', 'pending'], tag: ['a,b', 'vip'] })`,
  'messages after a seq': `visitor.messages('c', { after_seq: 7, limit: 200 })`,
  'a collection by its path': `agent.resource('/v1/canned-responses').update('r', { title: 'Thanks' })`,
  'a webhook for some events of a channel': `server.webhooks.create({ url: 'https://shop.example', events: ['message.*'], channel_ids: ['c'] })`,
  'null to remove the channels of a webhook': `agent.webhooks.update('w', { channel_ids: null })`,
  'a list of failed deliveries': `agent.webhooks.deliveries('w', { status: 'failed', event: 'message.created' })`,
  'null to remove the server of a bot': `server.bots.update('b', { webhook_url: null, history_count: 0 })`,
  'null to clear a visitor’s own detail': `visitor.updateContact({ phone: null })`,
};
const REFUSED: Record<string, string> = {
  'null for a field of a new contact': `agent.contacts.create({ name: null })`,
  'null for the channels of a new member': `server.members.create({ email: 'a@example.com', name: 'A', channel_ids: null })`,
  'null for the expiry of a new key': `agent.apiKeys.create({ name: 'key', expires_at: null })`,
  'null for the name of a channel': `agent.channels.update('c', { name: null })`,
  'a channel without a name': `agent.channels.create({})`,
  'a row of a collection without a required field': `server.resource('/v1/canned-responses').create({ title: 'Thanks' })`,
  'a collection whose rows cannot be deleted': `agent.resource('/v1/workspace/members').list()`,
  'an unknown status': `agent.conversations.list({ status: 'closed' })`,
  'an unknown status in a list': `agent.conversations.list({ status: ['open', 'closed'] })`,
  'an unknown field': `agent.workspace.update({ title: 'Shop' })`,
  'a timeline entry sent by a visitor': `visitor.send('c', { content_type: 'event', content: 'x' })`,
  'a private note of a visitor': `visitor.send('c', { content: 'x', private: true })`,
  'a message sent by an agent as another member': `agent.conversations.send('c', { content: 'x', member_id: 'm' })`,
  'a message of a server without a sender': `server.conversations.send('c', { content: 'x' })`,
  'a message of a server with two senders': `server.conversations.send('c', { content: 'x', member_id: 'm', bot_id: 'b' })`,
  'a webhook without events': `server.webhooks.create({ url: 'https://shop.example' })`,
  'an unknown status of deliveries': `server.webhooks.deliveries('w', { status: 'lost' })`,
  'a replay without a beginning': `server.webhooks.replay('w', { to: '2026-01-01T00:00:00Z' })`,
  'a bot that an agent shows as typing': `agent.conversations.typing('c', 'b')`,
  'a login without rotating refresh tokens': `agent.login({ email: 'a', password: 'b', rotate: false })`,
};

const program = (call: string) => `
  import type { AgentClient, ServerClient, VisitorClient } from '@support-chat/sdk';
  export const call = async (agent: AgentClient, server: ServerClient, visitor: VisitorClient): Promise<void> => {
    await ${call};
    void [agent, server, visitor];
  };`;

describe('The types of request bodies', () => {
  let faults: Map<string, string[]>;
  beforeAll(() => {
    const cases = Object.entries({ ...ACCEPTED, ...REFUSED });
    const found = compileWithSdk(cases.map(([, call]) => program(call)));
    faults = new Map(cases.map(([name], index) => [name, found[index] ?? []]));
  });

  it.each(Object.keys(ACCEPTED))('The compiler accepts %s', name => {
    expect(faults.get(name)).toEqual([]);
  });

  it.each(Object.keys(REFUSED))('The compiler refuses %s', name => {
    expect(faults.get(name)).toEqual([expect.stringMatching(/^4: .*(not assignable|does not exist|missing)/s)]);
  });
});
