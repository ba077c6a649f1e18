import type { WsMessageHandler } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import { isObservable, lastValueFrom } from 'rxjs';
import { DomainError } from '../../kernel/domain-error.js';
import { toDomainError } from '../http/problem.js';
import { errorFrame, FrameMalformed, FrameUnknown, parseFrame } from './frame.js';
import type { SocketConnection } from './socket-connection.js';

const logger = new Logger('sockets');

/** More than a burst. Only a handler that hangs makes this many frames wait. */
const MAX_WAITING_FRAMES = 40;

/** Handles one client's frames in order and answers each failure with an error frame. */
export class SocketDispatcher {
  private readonly waiting: (Buffer | null)[] = [];
  private busy = false;

  constructor(
    private readonly connection: SocketConnection,
    private readonly handlers: readonly WsMessageHandler<string>[],
  ) {}

  receive(data: Buffer, binary: boolean): void {
    if (this.connection.closedAt !== null || !this.connection.countFrame(data.length)) return;
    if (this.waiting.length >= MAX_WAITING_FRAMES) return this.connection.close('rateLimited');
    this.waiting.push(binary ? null : data);
    if (!this.busy) void this.work();
  }

  private async work(): Promise<void> {
    this.busy = true;
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      // drops the frames behind one that closed the socket, or behind the loss of access
      if (this.connection.closedAt !== null) break;
      try {
        await this.handle(next);
      } catch (thrown) {
        this.sendError(toDomainError(thrown), thrown);
      }
    }
    this.busy = false;
  }

  /** @param data null for a binary frame, which is always malformed */
  private async handle(data: Buffer | null): Promise<void> {
    if (data === null) throw new FrameMalformed();
    const frame = parseFrame(data.toString('utf8'));
    const handler = this.handlers.find(({ message }) => message === frame.type);
    if (!handler) throw new FrameUnknown();
    const result = await (handler.callback as (frame: unknown) => unknown)(frame);
    // global interceptors wrap frame handlers in an observable, which runs only when subscribed to
    if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
  }

  private sendError(error: DomainError, thrown: unknown): void {
    if (error.kind === 'internal') logger.error(thrown);
    this.connection.send(errorFrame(error));
    // malformed frames count as faults of the client; refusals and internal errors do not
    if (error.kind === 'invalid') this.connection.recordFault();
  }
}
