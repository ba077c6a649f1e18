import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_REGISTRY } from '../../src/events.js';
import type { EventType } from '../../src/kernel/domain-event.js';
import type { ScrubPlan } from '../../src/kernel/scrub.js';
import { KeptWords, RemovedKeys, Replacement, scrubErased } from '../../src/kernel/scrub.js';
import { EventColumnsService } from '../../src/platform/events/event-columns.service.js';
import { collectionsOf, committedReference } from '../support/collections.js';
import type { TestDatabase } from '../support/database.js';
import { cloneDatabase } from '../support/database.js';

const columns = new EventColumnsService(EVENT_REGISTRY);
const WITH_PERSONS = EVENT_REGISTRY.types.filter(type => EVENT_REGISTRY.get(type).personal !== 'none');

type Leaves = { kept: string[]; erased: string[]; unsent: string[] };

/** Fills a payload with a word for each field, and sorts the words by what may happen to them. */
function fill(plan: ScrubPlan, path: string, leaves: Leaves): unknown {
  const word = (which: keyof Leaves, name = path) => {
    leaves[which].push(name);
    return name;
  };
  if (plan === 'kept') return word('kept');
  if (plan instanceof Replacement) return word(plan.when);
  if (plan instanceof KeptWords) {
    const kept = Object.entries(plan.words).map(([key, [own = '']]) => [key, word('kept', own)]);
    return Object.fromEntries([...kept, ['other', word(plan.when, `${path}.other`)]]) as object;
  }
  if (plan instanceof RemovedKeys) {
    const removed = plan.keys.map(key => [key, word(plan.when, `${path}.${key}`)]);
    return Object.fromEntries([...removed, ['other', word('kept', `${path}.other`)]]) as object;
  }
  const fields = Object.entries(plan).map(([field, inner]) => [field, fill(inner, `${path}.${field}`, leaves)]);
  return Object.fromEntries(fields) as object;
}

describe('The registry of events', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await cloneDatabase()));
  afterAll(() => database.drop());

  const scrubbed = async (sql: string, type: string, payload: unknown): Promise<string> => {
    const from = 'FROM (SELECT $1::text AS type, $2::jsonb AS payload) AS event';
    const [row] = await database.query<{ text: string }>(`SELECT (${sql})::text AS text ${from}`, [
      type,
      JSON.stringify(payload),
    ]);
    return row?.text ?? '';
  };

  it('Events about people declare their personal fields: messages, conversations and contacts do.', () => {
    const about = EVENT_REGISTRY.types.filter(type => /^(message|conversation|contact)\./.test(type));
    expect(WITH_PERSONS).toEqual(about);
    expect(about.length).toBeGreaterThan(10);
  });

  it.each(WITH_PERSONS)('Erasing a person scrubs each personal field of %s, and no other.', async type => {
    const leaves: Leaves = { kept: [], erased: [], unsent: [] };
    const plan = EVENT_REGISTRY.get(type).personal as ScrubPlan;
    const payload = fill(plan, 'p', leaves);
    const left = await scrubbed(columns.erasedPayload, type, payload);
    for (const word of leaves.kept) expect(left).toContain(`"${word}"`);
    for (const word of [...leaves.erased, ...leaves.unsent]) expect(left).not.toContain(`"${word}"`);
    expect(scrubErased(payload as object, plan as object)).toEqual(JSON.parse(left));
  });

  it.each(WITH_PERSONS)('Unsending a message scrubs the words of %s, and nothing else.', async type => {
    const leaves: Leaves = { kept: [], erased: [], unsent: [] };
    const payload = fill(EVENT_REGISTRY.get(type).personal as ScrubPlan, 'p', leaves);
    const left = await scrubbed(columns.unsentPayload, type, payload);
    for (const word of [...leaves.kept, ...leaves.erased]) expect(left).toContain(`"${word}"`);
    for (const word of leaves.unsent) expect(left).not.toContain(`"${word}"`);
  });

  it("A word of the sender's under a key of the service is scrubbed with the message.", async () => {
    const message = { id: '1', content: 'a', metadata: { event: 'b' } };
    for (const sql of [columns.erasedPayload, columns.unsentPayload]) {
      const left = await scrubbed(sql, 'message.updated', { message });
      expect(JSON.parse(left)).toMatchObject({ message: { id: '1', content: null, metadata: {} } });
      expect(left).not.toContain('"b"');
    }
  });

  it('A nested record that is null stays null when it is scrubbed.', async () => {
    const left = await scrubbed(columns.erasedPayload, 'conversation.created', {
      conversation: { id: '1', last_message: null },
      contact: null,
      visitor: null,
    });
    expect(JSON.parse(left)).toMatchObject({ contact: null, visitor: null, conversation: { id: '1' } });
  });

  it('An event that is not about people, or that this version does not know, keeps its payload.', async () => {
    const payload = { id: 'x', name: 'Bot', content: 'kept' };
    expect(JSON.parse(await scrubbed(columns.erasedPayload, 'bot.created', payload))).toEqual(payload);
    expect(JSON.parse(await scrubbed(columns.erasedPayload, 'meeting.created', payload))).toEqual(payload);
  });

  it('Webhooks are offered what the contract offers, rows of other collections, and no session, key, invite or secret.', () => {
    const contract = [
      ...['bot.created', 'bot.deleted', 'bot.updated'],
      ...['canned_response.created', 'canned_response.deleted', 'canned_response.updated'],
      ...['channel.created', 'channel.deleted', 'channel.updated'],
      ...['contact.created', 'contact.deleted', 'contact.merged', 'contact.updated'],
      ...['conversation.created', 'conversation.read', 'conversation.updated'],
      ...['member.created', 'member.updated'],
      ...['message.created', 'message.deleted', 'message.updated'],
      'tag.updated',
      'workspace.updated',
    ];
    const nounOf = (type: string) => type.split('.')[0];
    const nouns = new Set(contract.map(nounOf));
    const offered = EVENT_REGISTRY.typesWhere(definition => definition.public !== undefined);
    expect(offered.filter(type => nouns.has(nounOf(type))).sort()).toEqual(contract.sort());
    const views = collectionsOf(committedReference()).map(({ view }) => view);
    const isOfRow = (type: EventType) => views.includes(EVENT_REGISTRY.get(type).agents?.shape ?? '');
    expect(offered.filter(type => !nouns.has(nounOf(type)) && !isOfRow(type))).toEqual([]);
  });
});
