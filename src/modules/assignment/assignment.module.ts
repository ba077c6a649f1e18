import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/index.js';
import { ConversationsModule } from '../conversations/index.js';
import { MembersModule } from '../members/index.js';
import { MessagesModule } from '../messages/index.js';
import { AbsentAssigneesWorker } from './absent-assignees.worker.js';
import { AssigneeWatchesRepository } from './assignee-watches.repository.js';
import { AssignmentRequestsRepository } from './assignment-requests.repository.js';
import {
  AssigneeWatchEntity,
  AssignmentRequestEntity,
  AssignmentTurnEntity,
  MemberLoadEntity,
} from './assignment.entity.js';
import { AssignmentWorker } from './assignment.worker.js';
import { AssignmentsService } from './assignments.service.js';
import { ConversationChangeListener } from './listeners/conversation-change.listener.js';
import { FreeMemberListener } from './listeners/free-member.listener.js';
import { RoutingChangeListener } from './listeners/routing-change.listener.js';
import { MemberLoadsRepairService } from './member-loads-repair.service.js';
import { MemberLoadsRepository } from './member-loads.repository.js';

@Module({
  imports: [ChannelsModule, MembersModule, ConversationsModule, MessagesModule],
  providers: [
    AssignmentRequestsRepository,
    AssigneeWatchesRepository,
    MemberLoadsRepository,
    AssignmentsService,
    AssignmentWorker,
    AbsentAssigneesWorker,
    MemberLoadsRepairService,
    ConversationChangeListener,
    FreeMemberListener,
    RoutingChangeListener,
  ],
})
export class AssignmentModule {
  static readonly entities = [AssignmentRequestEntity, MemberLoadEntity, AssignmentTurnEntity, AssigneeWatchEntity];
}
