import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { nowWireTime } from '../../kernel/clock.js';
import type { SerializedFrame } from '../../kernel/serialized-frame.js';
import type { EventPage } from '../../platform/events/event-reader.service.js';
import type { Outgoing, SocketConnection } from '../../platform/sockets/socket-connection.js';
import type { ResumedData } from './frames.schema.js';
import { syncRequired } from './event-frames.js';
import { ephemeralFrame } from './ephemeral-frames.js';
import { ReplayBudgetService } from './replay-budget.service.js';
import { ReplayService } from './replay.service.js';

/** Sends the first frames of a socket: `connected`, the missed events in pages, and `resumed` or `sync.required`. */
@Injectable()
export class ResumeService {
  private readonly log = new Logger('sockets');

  constructor(
    private readonly replay: ReplayService,
    private readonly budget: ReplayBudgetService,
    private readonly config: Config,
  ) {}

  /**
   * Starts a socket that is already in the hub and queues live frames. The cursor is taken before the missed events are
   * read, so that no event is lost in between.
   *
   * Resolves when the first missed frames were read; the rest follows as fast as the client reads.
   */
  async start(connection: SocketConnection): Promise<void> {
    const { after } = connection.admission;
    const cursor = this.replay.cursor;
    if (after === null) return connection.send(this.connected(connection, cursor));
    const missed = await this.replay.findMissed(connection, after);
    if ('fault' in missed)
      return this.finish(connection, [this.connected(connection, cursor), syncRequired(missed.fault)]);
    const { frames, pages, to } = missed;
    const first = [this.connected(connection, after), ...frames];
    if (pages.length === 0) return this.finish(connection, [...first, resumed(after, to, frames.length)]);
    this.sendPages(connection, first, pages, { from: after, to, count: frames.length }).catch((error: unknown) => {
      this.log.error(error);
      connection.close('tryLater');
    });
  }

  /** @param first frames to send before the pages; `count` is the number of events among them */
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
      if (!(await this.budget.acquire(workspaceId))) return this.finish(connection, [syncRequired('busy')]);
      try {
        const read = await this.replay.readPage(connection, page, from);
        if ('fault' in read) return this.finish(connection, [syncRequired(read.fault)]);
        sent += read.frames.length;
        if (!(await connection.replay(read.frames))) return;
      } finally {
        this.budget.release(workspaceId);
      }
    }
    this.finish(connection, [resumed(from, to, sent)]);
  }

  /** Sends the last frames of the start and resumes live delivery. */
  private finish(connection: SocketConnection, last: readonly Outgoing[]): void {
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
