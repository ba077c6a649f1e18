import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import type { EventPage, ResumeFault } from '../../platform/events/event-reader.service.js';
import { EventReaderService } from '../../platform/events/event-reader.service.js';
import { EventTailJob } from '../../platform/events/event-tail.job.js';
import type { SocketConnection } from '../../platform/sockets/socket-connection.js';
import { TextFrame } from '../../platform/sockets/text-frame.js';
import { canSeeExternalIds } from '../contacts/index.js';
import { ConversationsService } from '../conversations/index.js';
import { FrameViewsService } from './frame-views.service.js';
import type { EventFrame } from './event-frames.js';
import { EventDeliveriesService } from './event-deliveries.service.js';
import { eventFrame, serializeFrame } from './event-frames.js';

/** Why a replay is impossible. `scope`: the member's channels changed, so the missed events are incomplete. */
export interface ResumeEnd {
  fault: ResumeFault | 'scope';
}

/** The frames that a socket has missed. */
export interface MissedFrames {
  /** The first frames, about 64 KiB. */
  frames: TextFrame[];
  /** The following pages, which are not read yet. */
  pages: EventPage[];
  /** The cursor from which the client resumes the next time. */
  to: string;
}

/**
 * Reads missed events as frames, with the same routes as live delivery. Replayed frames carry the cursor from which the
 * client resumed, so that a client disconnected during the replay starts there again.
 */
@Injectable()
export class ReplayService {
  constructor(
    private readonly reader: EventReaderService,
    private readonly tail: EventTailJob,
    private readonly conversations: ConversationsService,
    private readonly deliveries: EventDeliveriesService,
    private readonly views: FrameViewsService,
  ) {}

  /** This instance's position in the log: the cursor of a client that has missed nothing. */
  get cursor(): string {
    return this.tail.cursor;
  }

  /** Reads the first missed frames since the cursor. */
  async findMissed(connection: SocketConnection, after: string): Promise<MissedFrames | ResumeEnd> {
    const { audience, principal } = connection.admission;
    const found = await this.reader.findMissed(after, {
      workspaceId: principal.workspaceId,
      types: this.deliveries.types[audience],
      conversationIds: await this.findConversations(connection),
    });
    if (typeof found === 'string') return { fault: found };
    const { events, pages, to } = found;
    const read = this.framesFor(connection, events, after);
    return 'fault' in read ? read : { frames: read.frames, pages, to };
  }

  async readPage(
    connection: SocketConnection,
    page: EventPage,
    after: string,
  ): Promise<{ frames: TextFrame[] } | ResumeEnd> {
    const events = await this.reader.readMissedPage(page);
    return events ? this.framesFor(connection, events, after) : { fault: 'expired' };
  }

  /** Lists the events that any agent received, for backends. @throws CursorInvalid, CursorExpired */
  async listEvents(
    principal: StaffPrincipal,
    after: string | undefined,
    limit: number,
  ): Promise<{ frames: EventFrame[]; cursor: string; hasMore: boolean }> {
    const { workspaceId } = principal;
    const page = await this.reader.page({ workspaceId, types: this.deliveries.types.agent }, after, limit);
    const limited = !canSeeExternalIds(principal);
    const frames = page.events.map(event => {
      const { agent, scopedAgent } = this.deliveries.of(event);
      const data = ((limited && scopedAgent) || agent)?.data();
      return data ? eventFrame(event, this.views.render(event, data)) : null;
    });
    return { frames: frames.filter(frame => frame !== null), cursor: page.cursor, hasMore: page.hasMore };
  }

  private framesFor(
    connection: SocketConnection,
    events: readonly RecordedEvent[],
    after: string,
  ): { frames: TextFrame[] } | ResumeEnd {
    if (events.some(event => changesScope(event, connection))) return { fault: 'scope' };
    const frames = events.map(event => this.frameFor(connection, event)).filter(frame => frame !== null);
    return { frames: frames.map(frame => TextFrame.fromText(serializeFrame(frame, after))) };
  }

  /** @returns the frame that the socket would have received live; null when none */
  private frameFor(connection: SocketConnection, event: RecordedEvent): EventFrame | null {
    const { agent, scopedAgent, visitor } = this.deliveries.of(event);
    const deliveries = connection.admission.audience === 'agent' ? [agent, scopedAgent] : [visitor];
    const data = deliveries.find(delivery => delivery?.topics.some(topic => connection.topics.has(topic)))?.data();
    return data ? eventFrame(event, this.views.render(event, data)) : null;
  }

  /** @returns the socket's conversation, or all of a visitor's; null for an inbox */
  private async findConversations({ admission }: SocketConnection): Promise<string[] | null> {
    if (admission.conversationId !== null) return [admission.conversationId];
    return admission.principal.kind === 'visitor' ? this.conversations.findVisibleIds(admission.principal) : null;
  }
}

function changesScope(event: RecordedEvent, { admission: { principal } }: SocketConnection): boolean {
  if (event.type !== 'member.updated' || principal.kind !== 'agent') return false;
  const { payload } = event as RecordedEvent<'member.updated'>;
  return payload.member.id === principal.memberId && payload.changed.includes('channel_ids');
}
