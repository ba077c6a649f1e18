import { beforeAll, describe, expect, it } from '@jest/globals';
import { compileWithSdk } from '../support/compile.js';

/** What a caller may write, and what the compiler is to refuse because the service would. */
const TAKEN: Record<string, string> = {
  'a contact by all that is known of it': `agent.contacts.create({ name: 'Vera', email: 'v@example.com', custom_attributes: { plan: 1 } })`,
  'null to clear what a contact has': `agent.contacts.update('c', { name: null, external_id: null, avatar_url: null })`,
  'a part of a channel': `agent.channels.update('c', { widget_config: { theme: { logo_url: null } }, auto_resolve_hours: null })`,
  'a channel by its name alone': `agent.channels.create({ name: 'Shop', widget_config: { features: { csat: false } } })`,
  'a note of an agent': `agent.conversations.send('c', { content: 'Hm.', private: true, expected_last_seq: 3 })`,
  'a conversation with its first message': `server.conversations.create({ contact_id: 'c', channel_id: 'd', message: { content: 'Hi', bot_id: 'b' } })`,
  'a message in the name of a member': `server.conversations.send('c', { content: 'Hi', member_id: 'm' })`,
  'a list by its filters': `agent.conversations.list({ status: 'open', assignee: 'me', sort: 'waiting', limit: 10 })`,
  'what was said since': `visitor.messages('c', { after_seq: 7, limit: 200 })`,
  'what visitors clear of themselves': `visitor.updateContact({ phone: null })`,
};
const REFUSED: Record<string, string> = {
  'null for a contact that is being made': `agent.contacts.create({ name: null })`,
  'null for the channels of a new member': `server.members.create({ email: 'a@example.com', name: 'A', channel_ids: null })`,
  'null for the end of a new key': `agent.apiKeys.create({ name: 'key', expires_at: null })`,
  'null for the name of a channel': `agent.channels.update('c', { name: null })`,
  'a channel without a name': `agent.channels.create({})`,
  'a status that is none': `agent.conversations.list({ status: 'closed' })`,
  'a field that is none': `agent.workspace.update({ title: 'Shop' })`,
  'a timeline entry from outside': `visitor.send('c', { content_type: 'event', content: 'x' })`,
  'a private word of a visitor': `visitor.send('c', { content: 'x', private: true })`,
  'an agent in the name of another': `agent.conversations.send('c', { content: 'x', member_id: 'm' })`,
  'a server that names nobody': `server.conversations.send('c', { content: 'x' })`,
  'a server in two names': `server.conversations.send('c', { content: 'x', member_id: 'm', bot_id: 'b' })`,
  'a login that asks for tokens of another kind than the SDK keeps': `agent.login({ email: 'a', password: 'b', rotate: false })`,
};

const program = (call: string) => `
  import type { AgentClient, ServerClient, VisitorClient } from '@support-chat/sdk';
  export const call = async (agent: AgentClient, server: ServerClient, visitor: VisitorClient): Promise<void> => {
    await ${call};
    void [agent, server, visitor];
  };`;

describe('what callers may say', () => {
  let faults: Map<string, string[]>;
  beforeAll(() => {
    const cases = Object.entries({ ...TAKEN, ...REFUSED });
    const found = compileWithSdk(cases.map(([, call]) => program(call)));
    faults = new Map(cases.map(([name], index) => [name, found[index] ?? []]));
  });

  it.each(Object.keys(TAKEN))('is %s', name => {
    expect(faults.get(name)).toEqual([]);
  });

  it.each(Object.keys(REFUSED))('is not %s', name => {
    expect(faults.get(name)).toEqual([expect.stringMatching(/^4: .*(not assignable|does not exist|missing)/s)]);
  });
});
