import { beforeAll, describe, expect, it } from '@jest/globals';
import { publishedErrors } from '../../src/kernel/domain-error.js';
import { EVENT_REGISTRY } from '../../src/events.js';
import { EPHEMERAL_FRAMES, eventFramesOf, NO_DATA } from '../../src/modules/realtime/index.js';
import { compileWithSdk } from '../support/compile.js';

type Audience = 'agent' | 'visitor';
const EVENT_FRAMES = eventFramesOf(EVENT_REGISTRY);
const SOCKETS = { agent: 'AgentSocket', visitor: 'VisitorSocket' } as const;

/** Every frame of the registry, once for each audience that receives it. */
const FRAMES = Object.entries({ ...EVENT_FRAMES, ...EPHEMERAL_FRAMES }).flatMap(([type, shapes]) =>
  (['agent', 'visitor'] as const).flatMap(audience => {
    const shape = shapes[audience];
    return shape === null || shape === NO_DATA ? [] : [{ type, audience, shape }];
  }),
);

/** A program that listens for a frame and passes its data to a function that takes the published schema. */
function listener({ type, audience, shape }: { type: string; audience: Audience; shape: string }): string {
  return `
import type { ${SOCKETS[audience]} } from '@support-chat/sdk';
import type { components } from './src/generated/openapi.js';
declare const socket: ${SOCKETS[audience]};
declare function accept(data: components['schemas']['${shape}']): void;
socket.on('${type}', ({ data }) => accept({ ...data }));`;
}

describe('The types of server.events()', () => {
  const DURABLE = Object.entries(EVENT_FRAMES).filter(([, { agent }]) => agent !== null);

  /** A program that narrows an event to this type and passes its data to a function that takes the published schema. */
  const reader = (type: string, shape: string) => `
import type { ServerEvent } from '@support-chat/sdk';
import type { components } from './src/generated/openapi.js';
declare const event: ServerEvent;
declare function accept(data: components['schemas']['${shape}']): void;
if (event.type === '${type}') accept({ ...event.data });`;

  it('The type of an event narrows its data, for every type of the event log', () => {
    const faults = compileWithSdk(DURABLE.map(([type, { agent }]) => reader(type, agent ?? '')));
    expect(DURABLE.map(([type], index) => [type, faults[index]])).toEqual(DURABLE.map(([type]) => [type, []]));
  });

  it('The compiler refuses the data of another event type, and a type that is not in the event log', () => {
    const mistakes = [
      reader('message.created', 'BotView'),
      reader('typing', 'TypingData'),
      reader('pong', 'PresenceData'),
    ];
    expect(compileWithSdk(mistakes).map(found => found.length > 0)).toEqual([true, true, true]);
  });
});

describe('The type of an ApiError code', () => {
  it('The compiler knows every published error code, and accepts unknown ones for later versions', () => {
    const known = publishedErrors().map(({ code }) => code);
    const program = `
import type { ApiError, ErrorCode, ServiceErrorCode } from '@support-chat/sdk';
export const known: ServiceErrorCode[] = ${JSON.stringify(known)};
export const own: ErrorCode[] = ['network_error', 'timeout', 'invalid_response', 'socket_closed', 'socket_unavailable'];
export const later: ErrorCode = 'not_published_yet';
export const asText = (error: ApiError): string => error.code;`;
    const mistaken = `
import type { ServiceErrorCode } from '@support-chat/sdk';
export const later: ServiceErrorCode = 'not_published_yet';`;
    const [good, bad] = compileWithSdk([program, mistaken]);
    expect(good).toEqual([]);
    expect(bad).toEqual([expect.stringContaining('not assignable')]);
  });
});

describe('The types of frames', () => {
  let faults: string[][];
  beforeAll(() => {
    faults = compileWithSdk(FRAMES.map(listener));
  });

  it.each(FRAMES.map(({ type, audience }, index) => [type, audience, index] as const))(
    'The SDK has the published type of %s for an %s socket',
    (_type, _audience, index) => {
      expect(faults[index]).toEqual([]);
    },
  );

  it('The compiler refuses an unknown frame, one of the other audience and another data type', () => {
    const strange = [
      { type: 'bot.renamed', audience: 'agent', shape: 'BotView' },
      { type: 'bot.updated', audience: 'visitor', shape: 'BotView' },
      { type: 'bot.updated', audience: 'agent', shape: 'MemberView' },
    ] as const;
    expect(compileWithSdk(strange.map(listener)).map(found => found.length > 0)).toEqual([true, true, true]);
  });
});
