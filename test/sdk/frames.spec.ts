import { beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_FRAMES, NO_DATA, PASSING_FRAMES } from '../../src/modules/realtime/index.js';
import { compileWithSdk } from '../support/compile.js';

type Audience = 'agent' | 'visitor';
const SOCKETS = { agent: 'AgentSocket', visitor: 'VisitorSocket' } as const;

/** Every frame of the registry, for everyone who hears it. */
const HEARD = Object.entries({ ...EVENT_FRAMES, ...PASSING_FRAMES }).flatMap(([type, shapes]) =>
  (['agent', 'visitor'] as const).flatMap(audience => {
    const shape = shapes[audience];
    return shape === null || shape === NO_DATA ? [] : [{ type, audience, shape }];
  }),
);

/** Listens for a frame, and puts its data where the reference's shape of it fits. */
function listener({ type, audience, shape }: { type: string; audience: Audience; shape: string }): string {
  return `
import type { ${SOCKETS[audience]} } from '@support-chat/sdk';
import type { components } from './src/generated/openapi.js';
declare const socket: ${SOCKETS[audience]};
declare function takes(data: components['schemas']['${shape}']): void;
socket.on('${type}', ({ data }) => takes({ ...data }));`;
}

describe('the SDK knows', () => {
  let faults: string[][];
  beforeAll(() => {
    faults = compileWithSdk(HEARD.map(listener));
  });

  it.each(HEARD.map(({ type, audience }, index) => [type, audience, index] as const))(
    '%s, as every %s hears it',
    (_type, _audience, index) => {
      expect(faults[index]).toEqual([]);
    },
  );

  it('no frame that it has not been told of, nor another shape of one', () => {
    const strange = [
      { type: 'bot.renamed', audience: 'agent', shape: 'BotView' },
      { type: 'bot.updated', audience: 'visitor', shape: 'BotView' },
      { type: 'bot.updated', audience: 'agent', shape: 'MemberView' },
    ] as const;
    expect(compileWithSdk(strange.map(listener)).map(found => found.length > 0)).toEqual([true, true, true]);
  });
});
