import type { Channel } from './channel.js';

/** Visitors of verified contacts, or visitors of unverified contacts. */
export type VisitorKind = 'verified' | 'unverified';

export function visitorKind(verified: boolean): VisitorKind {
  return verified ? 'verified' : 'unverified';
}

/** Generation of the tokens that the channel issues now. Tokens of earlier generations are refused. */
export function tokenGenerationOf(channel: Channel, kind: VisitorKind): number {
  return kind === 'verified' ? channel.verifiedGeneration : channel.unverifiedGeneration;
}

/** Revokes all tokens of this kind that the channel has issued so far. @returns the generation that ended */
export function revokeTokens(channel: Channel, kind: VisitorKind): number {
  const ended = tokenGenerationOf(channel, kind);
  if (kind === 'verified') channel.verifiedGeneration += 1;
  else channel.unverifiedGeneration += 1;
  return ended;
}
