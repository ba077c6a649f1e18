import { Injectable, OnModuleInit } from '@nestjs/common';
import type { RecordedEvent } from '../../../kernel/domain-event.js';
import { EventTailJob } from '../../../platform/events/event-tail.job.js';
import { MemberPresenceService } from '../../members/index.js';
import { AssignmentWorker } from '../assignment.worker.js';

const FREEING = ['status', 'availability', 'capacity', 'channel_ids'] as const;
const WAITING = ['status', 'assignee_id', 'handoff', 'control'];

/** Wakes the assignment when a conversation may have begun to wait, or a member may have become free. */
@Injectable()
export class FreeMemberListener implements OnModuleInit {
  constructor(
    private readonly tail: EventTailJob,
    private readonly presence: MemberPresenceService,
    private readonly worker: AssignmentWorker,
  ) {}

  onModuleInit(): void {
    this.presence.onConnect(workspaceId => this.worker.wakeFor(workspaceId));
    this.tail.listen(event => {
      if (concernsAssignment(event)) this.worker.wakeFor(event.workspaceId);
    });
  }
}

function concernsAssignment(event: RecordedEvent): boolean {
  switch (event.type) {
    case 'conversation.created':
      return true;
    case 'conversation.updated': {
      const { changes } = (event as RecordedEvent<'conversation.updated'>).payload;
      return WAITING.some(field => field in changes);
    }
    case 'member.updated': {
      const { changed } = (event as RecordedEvent<'member.updated'>).payload;
      return FREEING.some(field => changed.includes(field));
    }
    default:
      return false;
  }
}
