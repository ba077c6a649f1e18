import type { WsMessageHandler } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import { isObservable, lastValueFrom } from 'rxjs';
import { DomainError } from '../../kernel/domain-error.js';
import { toDomainError } from '../http/problem.js';
import { errorFrame, FrameMalformed, FrameUnknown, parseFrame } from './frame.js';
import type { SocketConnection } from './socket-connection.js';

const logger = new Logger('sockets');

/** More than a burst waits only behind a handler that hangs. */
const WAITING_FRAMES = 40;

/** Handles one client's frames one after another, and answers each that cannot be handled. */
export class SocketDispatcher {
  private readonly waiting: (Buffer | null)[] = [];
  private busy = false;

  constructor(
    private readonly connection: SocketConnection,
    private readonly handlers: readonly WsMessageHandler<string>[],
  ) {}

  take(data: Buffer, binary: boolean): void {
    if (this.connection.closedAt !== null || !this.connection.countFrame(data.length)) return;
    if (this.waiting.length >= WAITING_FRAMES) return this.connection.close('rateLimited');
    this.waiting.push(binary ? null : data);
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

  /** @param data of the frame; null for a binary one, which no frame of ours is */
  private async handle(data: Buffer | null): Promise<void> {
    if (data === null) throw new FrameMalformed();
    const frame = parseFrame(data.toString('utf8'));
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
