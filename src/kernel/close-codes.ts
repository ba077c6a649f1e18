/** WebSocket close codes by reason. Clients connect again after 4000–4499 and stop after 4500–4999. */
export const CLOSE = {
  restart: 1012,
  tryLater: 1013,
  pongTimeout: 4001,
  slowConsumer: 4002,
  tokenExpired: 4003,
  rateLimited: 4008,
  memberDeactivated: 4500,
  protocolError: 4501,
  accessRevoked: 4502,
  tooManySockets: 4503,
  notFound: 4504,
} as const;

/** Close codes of the WebSocket protocol itself. Clients stop, because a retry would fail in the same way. */
const PROTOCOL_CLOSES: Record<number, string> = {
  1002: 'the frame violates the WebSocket protocol',
  1007: 'the text is not UTF-8',
  1009: 'the frame is larger than 64 KiB',
};

export type CloseReason = keyof typeof CLOSE;

/** Close reason texts for the client's developer; at most 123 bytes each, the limit of the protocol. */
export const CLOSE_TEXT: Record<CloseReason, string> = {
  restart: 'the service restarts; connect again in 0 to 5 s',
  tryLater: 'the service cannot take the connection now; connect again later',
  pongTimeout: 'nothing was heard from you; connect again',
  slowConsumer: 'you read too slowly; connect again',
  tokenExpired: 'the token has expired; get a new one, then connect',
  rateLimited: 'too many frames or bytes; connect again in 10 s',
  memberDeactivated: 'the member is deactivated',
  protocolError: 'too many faulty frames',
  accessRevoked: 'access has been revoked',
  tooManySockets: 'too many sockets; the oldest gives way',
  notFound: 'there is no such room',
};

/** Returns every close code that the service uses, with the reaction expected from clients. */
export function closeCodes(): { code: number; then: 'stop' | 'connect again'; why: string }[] {
  const ours = (Object.keys(CLOSE) as CloseReason[]).map(reason => ({
    code: CLOSE[reason],
    then: CLOSE[reason] >= 4500 ? ('stop' as const) : ('connect again' as const),
    why: CLOSE_TEXT[reason],
  }));
  const protocol = Object.entries(PROTOCOL_CLOSES).map(([code, why]) => ({
    code: Number(code),
    then: 'stop' as const,
    why,
  }));
  return [...protocol, ...ours].sort((a, b) => a.code - b.code);
}
