import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/domain-event.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import type { EventPage, ResumeFault } from '../../platform/events/event-reader.service.js';
import { EventReaderService } from '../../platform/events/event-reader.service.js';
import { EventTail } from '../../platform/events/event-tail.js';
import type { SocketConnection } from '../../platform/sockets/socket-connection.js';
import { TextFrame } from '../../platform/sockets/text-frame.js';
import { canSeeExternalIds } from '../contacts/index.js';
import { ConversationsService } from '../conversations/index.js';
import { FrameViewsService } from './frame-views.service.js';
import type { EventFrame } from './event-frames.js';
import { eventFrame, DELIVERED_TYPES, deliveriesOf, serializeFrame } from './event-frames.js';

/** Why a resume ends early. `scope`: the member sees other channels than it did, so the log alone does not tell all. */
export interface ResumeEnd {
  fault: ResumeFault | 'scope';
}

/** What a socket has missed. */
export interface MissedFrames {
  /** The first of it, some 64 KiB. */
  frames: TextFrame[];
  /** What comes after that, yet to be read. */
  pages: EventPage[];
  /** The cursor with which the client resumes the next time. */
  to: string;
}

/**
 * What a socket has missed, by the same table that decides who hears of it live. Replayed frames carry the cursor that
 * the client came with: one that is cut off amid them begins there again.
 */
@Injectable()
export class ReplayService {
  constructor(
    private readonly reader: EventReaderService,
    private readonly tail: EventTail,
    private readonly conversations: ConversationsService,
    private readonly views: FrameViewsService,
  ) {}

  /** How far the log has come here: with it a client resumes that has missed nothing. */
  get cursor(): string {
    return this.tail.cursor;
  }

  /** Reads the first of what the socket has missed since the cursor. */
  async missed(connection: SocketConnection, after: string): Promise<MissedFrames | ResumeEnd> {
    const { audience, principal } = connection.admission;
    const found = await this.reader.missed(after, {
      workspaceId: principal.workspaceId,
      types: DELIVERED_TYPES[audience],
      conversationIds: await this.conversationsOf(connection),
    });
    if (typeof found === 'string') return { fault: found };
    const { events, pages, to } = found;
    const read = this.framesFor(connection, events, after);
    return 'fault' in read ? read : { frames: read.frames, pages, to };
  }

  /** Reads one page. */
  async readPage(
    connection: SocketConnection,
    page: EventPage,
    after: string,
  ): Promise<{ frames: TextFrame[] } | ResumeEnd> {
    const events = await this.reader.missedPage(page);
    return events ? this.framesFor(connection, events, after) : { fault: 'expired' };
  }

  /** For backends: what all agents together have heard. @throws CursorInvalid, CursorExpired */
  async page(
    principal: StaffPrincipal,
    after: string | undefined,
    limit: number,
  ): Promise<{ frames: EventFrame[]; cursor: string; hasMore: boolean }> {
    const { workspaceId } = principal;
    const page = await this.reader.page({ workspaceId, types: DELIVERED_TYPES.agent }, after, limit);
    const limited = !canSeeExternalIds(principal);
    const frames = page.events.map(event => {
      const { agent, scopedAgent } = deliveriesOf(event);
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
    const told = events.map(event => this.frameFor(connection, event)).filter(frame => frame !== null);
    return { frames: told.map(frame => TextFrame.of(serializeFrame(frame, after))) };
  }

  /** The event as this socket would have heard it, had it been open; null when it would not. */
  private frameFor(connection: SocketConnection, event: RecordedEvent): EventFrame | null {
    const { agent, scopedAgent, visitor } = deliveriesOf(event);
    const hearings = connection.admission.audience === 'agent' ? [agent, scopedAgent] : [visitor];
    const data = hearings.find(hearing => hearing?.topics.some(topic => connection.topics.has(topic)))?.data();
    return data ? eventFrame(event, this.views.render(event, data)) : null;
  }

  /** The one that the socket is about, or all of a visitor's; null for an inbox. */
  private async conversationsOf({ admission }: SocketConnection): Promise<string[] | null> {
    if (admission.conversationId !== null) return [admission.conversationId];
    return admission.principal.kind === 'visitor' ? this.conversations.findVisibleIds(admission.principal) : null;
  }
}

function changesScope(event: RecordedEvent, { admission: { principal } }: SocketConnection): boolean {
  if (event.type !== 'member.updated' || principal.kind !== 'agent') return false;
  const { payload } = event as RecordedEvent<'member.updated'>;
  return payload.member.id === principal.memberId && payload.changed.includes('channel_ids');
}
