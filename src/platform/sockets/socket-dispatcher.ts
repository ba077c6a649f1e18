import type { WsMessageHandler } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import { isObservable, lastValueFrom } from 'rxjs';
import { DomainError } from '../../kernel/domain-error.js';
import { toDomainError } from '../http/problem.js';
import { errorFrame, FrameMalformed, FrameUnknown, parseFrame } from './frame.js';
import type { SocketConnection } from './socket-connection.js';
import { FRAMES } from './socket-connection.js';

const logger = new Logger('sockets');

/** Handles one client's frames one after another, and answers each that cannot be handled. */
export class SocketDispatcher {
  private readonly waiting: (string | null)[] = [];
  private busy = false;

  constructor(
    private readonly connection: SocketConnection,
    private readonly handlers: readonly WsMessageHandler<string>[],
  ) {}

  /** @param text of the frame; null for a binary one, which no frame of ours is */
  take(text: string | null): void {
    if (this.connection.closedAt !== null || !this.connection.hear()) return;
    // more than a burst waits only behind a handler that hangs
    if (this.waiting.length >= FRAMES.burst) return this.connection.close('rateLimited');
    this.waiting.push(text);
    if (!this.busy) void this.work();
  }

  private async work(): Promise<void> {
    this.busy = true;
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      // what waited behind the frame that closed the socket, or behind the loss of access, is not handled any more
      if (this.connection.closedAt !== null) break;
      try {
        await this.handle(next);
      } catch (thrown) {
        this.refuse(toDomainError(thrown), thrown);
      }
    }
    this.busy = false;
  }

  private async handle(text: string | null): Promise<void> {
    if (text === null) throw new FrameMalformed();
    const frame = parseFrame(text);
    const handler = this.handlers.find(({ message }) => message === frame.type);
    if (!handler) throw new FrameUnknown();
    const result = await (handler.callback as (frame: unknown) => unknown)(frame);
    // global interceptors wrap handlers of frames too, and a handler runs only when somebody subscribes
    if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
  }

  private refuse(error: DomainError, thrown: unknown): void {
    if (error.kind === 'internal') logger.error(thrown);
    this.connection.send(errorFrame(error));
    // what cannot be read is a fault of the client; what it may not do, or we cannot, is not
    if (error.kind === 'invalid') this.connection.fault();
  }
}
