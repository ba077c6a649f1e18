import { Injectable } from '@nestjs/common';

/** Limits of requests to user-supplied URLs. Tests shorten them. */
@Injectable()
export class OutboundLimitsPolicy {
  /** Time to the answer's head, with DNS and the connection; for `post` it includes reading the answer. */
  readonly answerMs: number = 15_000;
  /** Time without a byte after which a streamed answer ends. Event streams are silent for as long as their caller waits. */
  readonly gapMs: number = 15_000;
  /** Time for which an unused connection stays open. Its address was checked when it was made. */
  readonly idleMs: number = 4_000;
  /** Time that requests under way get when the service stops. */
  readonly stopMs: number = 5_000;

  readonly perHost: number = 10;
  readonly perWorkspace: number = 40;
  readonly perInstance: number = 256;

  readonly headBytes: number = 16 * 1024;
  readonly answerBytes: number = 256 * 1024;
  readonly keptBytes: number = 1024;
}
