import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { LimitReached, NotFound, VersionConflict } from '../../kernel/errors.js';
import type { AgentPrincipal, StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { toPageView } from '../../platform/schemas/page.schema.js';
import {
  ActionBody,
  AssignBody,
  BotActionBody,
  ConversationCountsView,
  ConversationView,
  HandoffBody,
  SnoozeBody,
  UpdateConversationBody,
} from './conversation.schema.js';
import { ConversationViewsService } from './conversation-views.service.js';
import {
  AssigneeUnavailable,
  BotNotInControl,
  ConversationErased,
  ConversationExists,
  InvalidTransition,
  SnoozeInPast,
} from './conversations.errors.js';
import { ListConversationsQuery } from './inbox.schema.js';
import { ConversationActionsService } from './conversation-actions.service.js';
import { InboxFiltersService } from './inbox-filters.service.js';
import { InboxService } from './inbox.service.js';
import { ConversationsService } from './conversations.service.js';
import { ParticipantsService } from './participants.service.js';

@Section(
  'Conversations',
  'Conversations for agents and backends: the inbox, assignment and status. `version` grows with every change. Send it as `expected_version` to have a change refused if the conversation changed meanwhile.',
)
@Controller('conversations')
export class ConversationsController {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly actions: ConversationActionsService,
    private readonly inbox: InboxService,
    private readonly participants: ParticipantsService,
    private readonly views: ConversationViewsService,
    private readonly filters: InboxFiltersService,
  ) {}

  @Get()
  @Summary(
    'List conversations.',
    'Filters combine. A caller limited to some channels sees the conversations of those channels only.',
  )
  @Allow('conversations:read')
  @AnswersPage(ConversationView)
  async list(
    @Caller() caller: StaffPrincipal,
    @Query() query: ListConversationsQuery,
  ): Promise<PageView<ConversationView>> {
    const { limit, cursor, ...filters } = query;
    this.filters.assertUsable(caller, filters);
    const resolved = await this.filters.resolve(caller, filters);
    const page = await this.inbox.list(caller, { ...resolved, limit, cursor });
    return toPageView(page, record => record);
  }

  @Get('counts')
  @Summary('Count the unresolved conversations that the caller can see.')
  @Allow('conversations:read')
  @Answers(ConversationCountsView)
  counts(@Caller() caller: StaffPrincipal): Promise<ConversationCountsView> {
    return this.inbox.getCounts(caller);
  }

  @Get(':id')
  @Summary('Get a conversation with its contact.')
  @Allow('conversations:read')
  @Answers(ConversationView)
  @Throws(NotFound)
  async get(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<ConversationView> {
    return this.views.toStaffView(await this.conversations.get(caller, id));
  }

  @Patch(':id')
  @Summary('Update subject, priority, tags or custom attributes.')
  @Allow('conversations:write')
  @Answers(ConversationView)
  @Throws(NotFound, ConversationErased, VersionConflict, LimitReached)
  async update(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() body: UpdateConversationBody,
  ): Promise<ConversationView> {
    return this.views.toStaffView(await this.actions.update(caller, id, body, body.expected_version));
  }

  @Post(':id/assign')
  @Summary(
    'Assign a conversation to a member, or unassign it.',
    'A member can be assigned more than its `capacity`. A conversation that a bot serves is taken over from it. An open conversation that is unassigned is assigned anew, unless its channel leaves that to people (`routing.mode` is `manual`).',
  )
  @Allow('conversations:write')
  @Answers(ConversationView)
  @Throws(NotFound, ConversationErased, VersionConflict, AssigneeUnavailable)
  async assign(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() body: AssignBody,
  ): Promise<ConversationView> {
    return this.views.toStaffView(await this.actions.assign(caller, id, body.member_id, body.expected_version));
  }

  @Post(':id/take')
  @Summary('Assign a conversation to the calling agent. Takes it over from a bot.')
  @Allow('conversations:write', { only: 'agent' })
  @Answers(ConversationView)
  @Throws(NotFound, ConversationErased, VersionConflict, InvalidTransition, AssigneeUnavailable)
  async take(
    @Caller() caller: AgentPrincipal,
    @IdParam() id: string,
    @Body() body: ActionBody,
  ): Promise<ConversationView> {
    return this.views.toStaffView(await this.actions.take(caller, id, body.expected_version));
  }

  @Post(':id/resolve')
  @Summary('Resolve a conversation.')
  @Allow('conversations:write')
  @Answers(ConversationView)
  @Throws(NotFound, ConversationErased, VersionConflict, InvalidTransition, BotNotInControl)
  async resolve(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() body: BotActionBody,
  ): Promise<ConversationView> {
    return this.views.toStaffView(await this.actions.resolve(caller, id, body.expected_version, body.bot_id));
  }

  @Post(':id/leave')
  @Summary(
    'Leave a conversation.',
    'The caller takes part in conversations that are assigned to it, in which it has written, or in which it was mentioned. After leaving it gets no more notifications of replies until it writes, or is assigned or mentioned, again.',
  )
  @Allow('conversations:write', { only: 'agent' })
  @Answers(ConversationView)
  @Throws(NotFound, ConversationErased)
  async leave(@Caller() caller: AgentPrincipal, @IdParam() id: string): Promise<ConversationView> {
    return this.views.toStaffView(await this.participants.leave(caller, id));
  }

  @Post(':id/snooze')
  @Summary(
    'Snooze a conversation.',
    'It leaves the list of open conversations until the given time, or until the contact writes.',
  )
  @Allow('conversations:write')
  @Answers(ConversationView)
  @Throws(NotFound, ConversationErased, VersionConflict, InvalidTransition, SnoozeInPast)
  async snooze(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() { until, expected_version }: SnoozeBody,
  ): Promise<ConversationView> {
    const end = until === undefined ? null : new Date(until);
    return this.views.toStaffView(await this.actions.snooze(caller, id, end, expected_version));
  }

  @Post(':id/wake')
  @Summary('End the snooze of a conversation.', 'It is open again, and stays with its assignee if that member serves.')
  @Allow('conversations:write')
  @Answers(ConversationView)
  @Throws(NotFound, ConversationErased, VersionConflict, InvalidTransition)
  async wake(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() body: ActionBody,
  ): Promise<ConversationView> {
    return this.views.toStaffView(await this.actions.wake(caller, id, body.expected_version));
  }

  @Post(':id/handoff')
  @Summary(
    'Hand a conversation off to the other agents.',
    'Unassigns an open conversation, or takes a pending one from its bot. `reason` and `summary` are for the next agent.',
  )
  @Allow('conversations:write')
  @Answers(ConversationView)
  @Throws(NotFound, ConversationErased, VersionConflict, InvalidTransition, BotNotInControl)
  async handOff(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() { expected_version, ...request }: HandoffBody,
  ): Promise<ConversationView> {
    const handedOff = await this.actions.handOff(caller, id, request, expected_version);
    return this.views.toStaffView(handedOff);
  }

  @Post(':id/reopen')
  @Summary(
    'Reopen a resolved conversation.',
    'If the caller resolved it in the last 30 seconds and nothing has happened since, the resolve is taken back: status, assignee and snooze are as before, and `reopened_count` stays.',
  )
  @Allow('conversations:write')
  @Answers(ConversationView)
  @Throws(NotFound, ConversationErased, VersionConflict, InvalidTransition, ConversationExists)
  async reopen(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() body: ActionBody,
  ): Promise<ConversationView> {
    return this.views.toStaffView(await this.actions.reopen(caller, id, body.expected_version));
  }
}
