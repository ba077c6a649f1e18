import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { nowWireTime } from '../../kernel/clock.js';
import type { FrameText } from '../../kernel/frame-text.js';
import type { Outgoing, SocketConnection } from '../../platform/sockets/socket-connection.js';
import { TextFrame } from '../../platform/sockets/text-frame.js';
import { syncRequired } from './event-frames.js';
import { passingFrame } from './passing-frames.js';
import { ReplayBudget } from './replay-budget.js';
import type { FirstPage } from './replay.service.js';
import { ReplayService } from './replay.service.js';

/** A page that is smaller than this needs no place in the budget: the operating system takes it at once. */
const SMALL_BYTES = 64 * 1024;

/** Sends what a socket begins with: `connected`, what it has missed, a page at a time, and `resumed`. */
@Injectable()
export class ResumeService {
  private readonly log = new Logger('sockets');

  constructor(
    private readonly replay: ReplayService,
    private readonly budget: ReplayBudget,
    private readonly config: Config,
  ) {}

  /**
   * The socket hears already what comes, which waits until it has been sent what it has missed. The place in the log is
   * taken before that is read, so between the two nothing is lost.
   * @returns when the first page has been read; the others follow as fast as the client reads
   */
  async begin(connection: SocketConnection): Promise<void> {
    const { after } = connection.admission;
    const here = this.replay.cursor;
    if (after === null) return connection.send(this.connected(connection, here));
    const missed = await this.replay.missed(connection, after);
    if ('fault' in missed) return this.end(connection, [this.connected(connection, here), syncRequired(missed.fault)]);
    const connected = this.connected(connection, after);
    if (missed.pages.length === 1 && bytesOf(missed.frames) < SMALL_BYTES) {
      return this.end(connection, [connected, ...missed.frames, resumed(after, missed.to, missed.frames.length)]);
    }
    this.sendPages(connection, missed, after, connected).catch((error: unknown) => {
      this.log.error(error);
      connection.close('tryLater');
    });
  }

  /** The first page has been read already; it is read again where it would have to wait for the budget. */
  private async sendPages(
    connection: SocketConnection,
    missed: FirstPage,
    after: string,
    connected: FrameText,
  ): Promise<void> {
    const { workspaceId } = connection.principal;
    const { pages, to } = missed;
    let first: TextFrame[] | null = missed.frames.splice(0);
    let count = 0;
    if (!(await connection.replay([TextFrame.of(connected)]))) return;
    for (const page of pages) {
      if (!this.budget.tryTake(workspaceId)) {
        first = null;
        if (!(await this.budget.take(workspaceId))) return this.end(connection, [syncRequired('busy')]);
      }
      try {
        const read = first ? { frames: first } : await this.replay.readPage(connection, page, after);
        if ('fault' in read) return this.end(connection, [syncRequired(read.fault)]);
        first = null;
        count += read.frames.length;
        if (!(await connection.replay(read.frames))) return;
      } finally {
        this.budget.release(workspaceId);
      }
    }
    this.end(connection, [resumed(after, to, count)]);
  }

  /** What follows is live. */
  private end(connection: SocketConnection, last: readonly Outgoing[]): void {
    void connection.release(last);
  }

  private connected(connection: SocketConnection, cursor: string): FrameText {
    return passingFrame('connected', {
      connection_id: connection.id,
      room: connection.admission.room,
      cursor,
      ping_interval_ms: this.config.socketPingIntervalMs,
      pong_wait_ms: this.config.socketPongWaitMs,
      server_time: nowWireTime(),
    });
  }
}

function resumed(from: string, to: string, count: number): FrameText {
  return passingFrame('resumed', { from, to, count });
}

function bytesOf(frames: readonly TextFrame[]): number {
  return frames.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
