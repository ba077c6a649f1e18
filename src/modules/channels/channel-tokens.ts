import type { Channel } from './channel.js';

/** Visitors whose contact is verified, or those whose contact is not. */
export type VisitorKind = 'verified' | 'unverified';

export function visitorKind(verified: boolean): VisitorKind {
  return verified ? 'verified' : 'unverified';
}

/** The generation of the tokens that the channel gives out now; those of earlier ones are refused. */
export function tokenGenerationOf(channel: Channel, kind: VisitorKind): number {
  return kind === 'verified' ? channel.verifiedGeneration : channel.unverifiedGeneration;
}

/** Refuses all tokens of the kind that the channel has given out so far. @returns the generation that ends */
export function refuseTokens(channel: Channel, kind: VisitorKind): number {
  const ended = tokenGenerationOf(channel, kind);
  if (kind === 'verified') channel.verifiedGeneration += 1;
  else channel.unverifiedGeneration += 1;
  return ended;
}
