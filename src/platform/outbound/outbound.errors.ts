/**
 * An endpoint gave no usable answer. Refused addresses, closed ports, failed TLS, time-outs and broken connections look
 * alike, because the difference would let users scan the internal network. `cause` is for the log alone.
 */
export class EndpointUnreachable extends Error {
  readonly code = 'endpoint_unreachable';

  constructor(cause?: unknown) {
    super('The endpoint could not be reached.', { cause });
  }
}

/** An answer has more bytes than may be read. */
export class AnswerTooLarge extends Error {
  constructor(bytes: number) {
    super(`The answer has more than ${bytes} bytes.`);
  }
}

/** A request was not sent or was cut off because this instance stops. It says nothing about the endpoint. */
export class OutboundStopped extends Error {
  constructor() {
    super('The service stops and sends no more requests.');
  }
}
