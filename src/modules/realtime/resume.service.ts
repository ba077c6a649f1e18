import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { nowWireTime } from '../../kernel/clock.js';
import type { SerializedFrame } from '../../kernel/serialized-frame.js';
import type { EventPage } from '../../platform/events/event-reader.service.js';
import type { Outgoing, SocketConnection } from '../../platform/sockets/socket-connection.js';
import type { ResumedData } from './frames.schema.js';
import { syncRequired } from './event-frames.js';
import { ephemeralFrame } from './ephemeral-frames.js';
import { ReplayBudget } from './replay-budget.js';
import { ReplayService } from './replay.service.js';

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
   * @returns when the first of it has been read; the rest follows as fast as the client reads
   */
  async begin(connection: SocketConnection): Promise<void> {
    const { after } = connection.admission;
    const here = this.replay.cursor;
    if (after === null) return connection.send(this.connected(connection, here));
    const missed = await this.replay.missed(connection, after);
    if ('fault' in missed) return this.end(connection, [this.connected(connection, here), syncRequired(missed.fault)]);
    const { frames, pages, to } = missed;
    const first = [this.connected(connection, after), ...frames];
    if (pages.length === 0) return this.end(connection, [...first, resumed(after, to, frames.length)]);
    this.sendPages(connection, first, pages, { from: after, to, count: frames.length }).catch((error: unknown) => {
      this.log.error(error);
      connection.close('tryLater');
    });
  }

  /** @param end of what is sent; counts the frames that were sent before */
  private async sendPages(
    connection: SocketConnection,
    first: readonly Outgoing[],
    pages: readonly EventPage[],
    { from, to, count }: ResumedData,
  ): Promise<void> {
    const { workspaceId } = connection.principal;
    let sent = count;
    if (!(await connection.replay(first))) return;
    for (const page of pages) {
      if (!(await this.budget.take(workspaceId))) return this.end(connection, [syncRequired('busy')]);
      try {
        const read = await this.replay.readPage(connection, page, from);
        if ('fault' in read) return this.end(connection, [syncRequired(read.fault)]);
        sent += read.frames.length;
        if (!(await connection.replay(read.frames))) return;
      } finally {
        this.budget.release(workspaceId);
      }
    }
    this.end(connection, [resumed(from, to, sent)]);
  }

  /** What follows is live. */
  private end(connection: SocketConnection, last: readonly Outgoing[]): void {
    void connection.resumeLive(last);
  }

  private connected(connection: SocketConnection, cursor: string): SerializedFrame {
    return ephemeralFrame('connected', {
      connection_id: connection.id,
      room: connection.admission.room,
      cursor,
      ping_interval_ms: this.config.socketPingIntervalMs,
      pong_wait_ms: this.config.socketPongWaitMs,
      server_time: nowWireTime(),
    });
  }
}

function resumed(from: string, to: string, count: number): SerializedFrame {
  return ephemeralFrame('resumed', { from, to, count });
}
