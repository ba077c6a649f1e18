import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { closeCodes } from '../../src/kernel/close-codes.js';
import { newId } from '../../src/kernel/ids.js';
import { AgentGateway } from '../../src/modules/realtime/agent.gateway.js';
import type { FrameDefinition } from '../../src/modules/realtime/index.js';
import { EVENT_REGISTRY } from '../../src/events.js';
import { CLIENT_FRAMES, EPHEMERAL_FRAMES, eventFramesOf, NO_DATA } from '../../src/modules/realtime/index.js';
import { VisitorGateway } from '../../src/modules/realtime/visitor.gateway.js';
import type { AsyncDocument } from '../../src/platform/asyncapi/document.js';
import type { JsonObject } from '../../src/platform/schemas/json.js';
import { Contract } from '../support/contract.js';
import type { Desk } from '../support/world.js';
import { World } from '../support/world.js';

const EVENT_FRAMES = eventFramesOf(EVENT_REGISTRY);

type Audience = 'agent' | 'visitor';
const AUDIENCES = ['agent', 'visitor'] as const;
const FILE = 'docs/generated/asyncapi.json';
const official = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json') as object;

let document: AsyncDocument;
let world: World;
let desk: Desk;
beforeAll(async () => {
  document = JSON.parse(readFileSync(FILE, 'utf8')) as AsyncDocument;
  world = await World.start();
  desk = await world.desk();
});
afterAll(() => world.stop());

const messagesOf = (audience: Audience) => Object.keys(document.channels[audience]?.messages ?? {});
const serverFrames = (audience: Audience) => messagesOf(audience).filter(key => !key.startsWith('said.'));
const clientFrames = (audience: Audience) =>
  messagesOf(audience).flatMap(key => (key.startsWith('said.') ? [key.slice('said.'.length)] : []));
const typesFor = (frames: Record<string, FrameDefinition>, audience: Audience) =>
  Object.keys(frames).filter(type => frames[type]?.[audience] !== null);

/** @returns every `$ref` in the value */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const direct = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...direct, ...Object.values(value).flatMap(references)];
}

function resolve(reference: string): unknown {
  const steps = reference.slice(2).split('/');
  return steps.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
}

describe('The AsyncAPI document', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const isAsyncApi = ajv.compile(official);

  it('The document is valid by the official schema of AsyncAPI 3.0', () => {
    expect({ valid: isAsyncApi(document), errors: isAsyncApi.errors }).toEqual({ valid: true, errors: null });
  });

  it('The official schema finds a missing action, an unknown field, an invalid type and an invalid security scheme', () => {
    const broken: ((copy: AsyncDocument) => void)[] = [
      copy => delete copy.operations['agent.ping']?.action,
      copy => Object.assign(copy.channels.agent ?? {}, { path: '/ws/agent' }),
      copy => Object.assign(copy.components.schemas.MessageView ?? {}, { type: 'record' }),
      copy => Object.assign(copy.components.securitySchemes.agent ?? {}, { in: 'path' }),
    ];
    for (const applyFault of broken) {
      const copy = structuredClone(document);
      applyFault(copy);
      expect(isAsyncApi(copy)).toBe(false);
    }
  });

  it('The document has no dangling reference and no unused schema', () => {
    const used = new Set(references(document));
    expect([...used].filter(reference => resolve(reference) === undefined)).toEqual([]);
    const names = Object.keys(document.components.schemas);
    expect(names.filter(name => !used.has(`#/components/schemas/${name}`))).toEqual([]);
  });

  it('Every schema of the AsyncAPI document compiles in strict mode, and every example is valid', () => {
    const strict = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
    addFormats.default(strict);
    strict.addFormat('idn-email', true);
    strict.addVocabulary(Object.keys(document));
    strict.addSchema({ ...document, $id: 'sockets' });
    const compile = (pointer: string) => strict.compile({ $ref: `sockets#${pointer}` });
    for (const audience of AUDIENCES) {
      for (const key of messagesOf(audience)) compile(`/channels/${audience}/messages/${key}/payload`);
    }
    for (const [name, { properties = {} }] of Object.entries(document.components.schemas)) {
      for (const [property, schema] of Object.entries(properties as Record<string, JsonObject>)) {
        for (const example of (schema.examples ?? []) as unknown[]) {
          const fits = compile(`/components/schemas/${name}/properties/${property}`)(example);
          expect([name, property, example, fits]).toEqual([name, property, example, true]);
        }
      }
    }
  });

  it('GET /asyncapi.json serves the document to anyone and allows caching', async () => {
    const served = await fetch(`${world.app.url}/asyncapi.json`, { headers: { Authorization: 'Bearer nothing' } });
    const { status, headers } = served;
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'application/json; charset=utf-8',
      'public, max-age=300',
    ]);
    expect(`${JSON.stringify(await served.json(), null, 2)}\n` === readFileSync(FILE, 'utf8')).toBe(true);
  });
});

describe.each(AUDIENCES)("The %s's channel", audience => {
  it(`The ${audience}’s channel has exactly the frames that the registry sends to it`, () => {
    const frames = { ...EVENT_FRAMES, ...EPHEMERAL_FRAMES };
    expect(serverFrames(audience)).toEqual([...typesFor(frames, audience), 'error']);
  });

  it(`The ${audience}’s channel has exactly the client frames that its gateway handles`, () => {
    const { prototype } = { agent: AgentGateway, visitor: VisitorGateway }[audience] as { prototype: object };
    const taken = Object.getOwnPropertyNames(prototype).flatMap(name => {
      const type: unknown = Reflect.getMetadata('message', (prototype as Record<string, object>)[name] ?? {});
      return typeof type === 'string' ? [type] : [];
    });
    expect(clientFrames(audience).sort()).toEqual(taken.sort());
    expect(clientFrames(audience).sort()).toEqual(typesFor(CLIENT_FRAMES, audience).sort());
  });

  it(`The ${audience}’s channel has the frame of an event only if its definition sends it there`, () => {
    for (const type of EVENT_REGISTRY.types) {
      const { agents, visitor } = EVENT_REGISTRY.get(type);
      const side = audience === 'agent' ? agents : visitor;
      expect([type, serverFrames(audience).includes(type)]).toEqual([type, side !== null]);
    }
  });

  it(`The messages of the ${audience}’s channel reference shared schemas`, () => {
    const frames: Record<string, FrameDefinition> = { ...EVENT_FRAMES, ...EPHEMERAL_FRAMES };
    for (const type of serverFrames(audience).filter(name => name !== 'error')) {
      const { properties } = document.channels[audience]?.messages[type]?.payload as { properties: JsonObject };
      const schemaName = frames[type]?.[audience];
      const data = schemaName === NO_DATA ? undefined : { $ref: `#/components/schemas/${schemaName}` };
      expect([type, properties.data]).toEqual([type, data]);
    }
  });

  it(`The ${audience}’s channel takes its token in the query, and its operations use only its own messages`, () => {
    const { bindings } = document.channels[audience] as unknown as { bindings: { ws: { query: JsonObject } } };
    const where = { agent: 'room', visitor: 'conv' }[audience];
    expect(Object.keys(bindings.ws.query.properties as JsonObject)).toEqual(['token', where, 'after', 'reject']);
    expect(bindings.ws.query.required).toEqual(['token']);
    const operations = Object.entries(document.operations).filter(([name]) => name.startsWith(`${audience}.`));
    expect(operations.map(([name]) => name).sort()).toEqual(
      ['hears', ...clientFrames(audience)].map(type => `${audience}.${type}`).sort(),
    );
    for (const [, operation] of operations) {
      expect(operation.security).toEqual([{ $ref: `#/components/securitySchemes/${audience}` }]);
      expect(references(operation).every(reference => !reference.startsWith(`#/channels/${other(audience)}`))).toBe(
        true,
      );
    }
  });

  it(`The ${audience}’s gateway accepts each documented frame with its fields at the top, under data or payload, and no other`, async () => {
    const visitor = await world.visitor(desk);
    const { id } = await world.conversation(visitor);
    await desk.owner.api.post(`/v1/conversations/${id}/take`);
    const token = audience === 'agent' ? desk.owner.token : visitor.token;
    const fields: Record<string, object> = { conversation_id: id, token, url: 'https://shop.example/' } as never;
    const open = () => world.socket(audience, { token });
    const validate = validator();
    for (const type of clientFrames(audience)) {
      const flat = { type, ...fields };
      expect([type, validate(`/channels/${audience}/messages/said.${type}/payload`, flat)]).toEqual([type, true]);
      const socket = await open();
      for (const frame of [flat, { type, data: fields }, { type, payload: fields }]) socket.send(frame);
      await socket.settled();
      expect([type, socket.of('error')]).toEqual([type, []]);
      await socket.close();
    }
    const socket = await open();
    const foreign = clientFrames(other(audience)).filter(type => !clientFrames(audience).includes(type));
    for (const type of [...foreign, 'hears', 'said.ping']) socket.send({ type, ...fields });
    await socket.settled();
    expect(socket.of('error').map(({ error }) => error?.code)).toEqual([...foreign, 1, 2].map(() => 'frame_unknown'));
    await socket.close();
  });

  it(`The refusals of the ${audience}’s channel use published close codes`, () => {
    const { codes } = (document.channels[audience] as unknown as { 'x-refusals': { codes: { close: number }[] } })[
      'x-refusals'
    ];
    const closes = closeCodes().map(({ code }) => code);
    for (const { close } of codes) expect(closes).toContain(close);
    expect(document['x-close-codes']).toEqual(closeCodes());
  });
});

describe("The schemas of the visitor's channel", () => {
  it('No message to a visitor uses a schema meant for agents', () => {
    const reached = new Set<string>();
    const follow = (value: unknown): void => {
      for (const reference of references(value)) {
        if (reached.has(reference)) continue;
        reached.add(reference);
        follow(resolve(reference));
      }
    };
    follow(document.channels.visitor?.messages);
    const agents = ['BotView', 'CannedResponseView', 'ChannelView', 'ContactSummaryView', 'ContactView', 'MemberView']
      .concat(['ConversationCreatedData', 'ConversationRecordView', 'ConversationUpdatedData', 'ActorView'])
      .concat(['ChangeData', 'WorkspaceView', 'AgentTypingFields']);
    for (const name of agents) {
      expect([name, name in document.components.schemas]).toEqual([name, true]);
      expect([name, reached.has(`#/components/schemas/${name}`)]).toEqual([name, false]);
    }
  });
});

describe('Frames, refusals and closes that the document does not have', () => {
  it('The contract check of every test socket rejects undocumented frames, refusals and close codes', async () => {
    const contract = Contract.of(world.app.app);
    const visitor = await world.visitor(desk);
    const [agents, visitors] = [await world.agentSocket(desk.owner), await world.visitorSocket(visitor)];
    const { id } = await world.conversation(visitor);
    const agentFrame = (await agents.next(
      'message.created',
      frame => frame.conversation_id === id,
    )) as never as TestFrame;
    const visitorFrame = (await visitors.next('message.created')) as never as TestFrame;
    const created = (await agents.next('conversation.created')) as never as TestFrame;
    const expectRejected = (audience: Audience, frame: unknown, reason: string) =>
      expect(() => contract.assertFrame(audience, frame as TestFrame)).toThrow(reason);

    expect(() => contract.assertFrame('agent', agentFrame)).not.toThrow();
    expectRejected('agent', { ...agentFrame, type: 'message.renamed' }, 'must never receive');
    expectRejected('agent', { type: 'said.ping' }, 'only clients send');
    expectRejected('visitor', { ...visitorFrame, type: 'bot.updated', data: {} }, 'must never receive');
    expectRejected('visitor', created, 'additionalProperties');
    expectRejected('agent', { ...agentFrame, extra: 1 }, 'additionalProperties');
    expectRejected('agent', { ...agentFrame, data: { ...agentFrame.data, note: 'x' } }, 'additionalProperties');
    for (const name of ['id', 'cursor', 'timestamp', 'conversation_id', 'channel_id', 'data']) {
      const { [name]: _removed, ...rest } = agentFrame;
      expectRejected('agent', rest, name);
    }
    expectRejected('visitor', { type: 'typing.stop', id: newId(), data: {} }, 'additionalProperties');
    const csat = { from: null, to: { score: 6, comment: null, rated_at: '2026-01-31T09:30:00.123000Z' } };
    expectRejected(
      'visitor',
      { ...visitorFrame, type: 'conversation.updated', data: { id, changes: { csat } } },
      'maximum',
    );
    const assignee_id = { from: null, to: newId() };
    expectRejected(
      'visitor',
      { ...visitorFrame, type: 'conversation.updated', data: { id, changes: { assignee_id } } },
      'assignee_id',
    );

    const failure = (code: string) => ({
      ok: false,
      request_id: 'a'.repeat(24),
      timestamp: '2026-01-31T09:30:00.123456Z',
      error: { code, message: 'No.' },
    });
    expect(() => contract.assertRefusal('agent', 403, failure('member_deactivated'))).not.toThrow();
    expect(() => contract.assertRefusal('visitor', 403, failure('member_deactivated'))).toThrow('lists no refusal');
    expect(() => contract.assertRefusal('agent', 404, failure('member_deactivated'))).toThrow('lists no refusal');
    expect(() => contract.assertRefusal('agent', 403, { error: 'no' })).toThrow('differs');
    expect(() => contract.assertClose(4501)).not.toThrow();
    expect(() => contract.assertClose(4999)).toThrow('4999');
  });
});

type TestFrame = Record<string, unknown> & { data: Record<string, unknown> };

function other(audience: Audience): Audience {
  return audience === 'agent' ? 'visitor' : 'agent';
}

/** Validates against the document as published, which allows additional fields of later versions. */
function validator(): (pointer: string, value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: 'sockets' });
  return (pointer, value) => ajv.validate({ $ref: `sockets#${pointer}` }, value);
}
