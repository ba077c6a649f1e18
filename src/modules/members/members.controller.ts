import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import type { AgentPrincipal, ApiKeyPrincipal, StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Creates, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { PageQuery, toPageView } from '../../platform/schemas/page.schema.js';
import { PreparedEffect, PreparesEffect } from '../../platform/idempotency/prepared-effect.js';
import { MemberPresenceService } from './member-presence.service.js';
import { MemberAdministrationService } from './member-administration.service.js';
import { CreateMemberBody, MemberView, ProfileView, UpdateMemberBody, UpdateProfileBody } from './member.schema.js';
import { toProfileRecord } from './member.js';
import { LastOwner, MemberDeactivatedConflict, MemberExists, RoleTooHigh } from './members.errors.js';
import { MembersService } from './members.service.js';

@Section('Members', 'The people of the workspace: their roles, channels and availability.')
@Controller('workspace/members')
export class MembersController {
  constructor(
    private readonly members: MembersService,
    private readonly administration: MemberAdministrationService,
    private readonly presence: MemberPresenceService,
  ) {}

  @Get()
  @Summary('List members, including deactivated ones.')
  @Allow('members:read')
  @AnswersPage(MemberView)
  async list(@Caller() caller: StaffPrincipal, @Query() query: PageQuery): Promise<PageView<MemberView>> {
    return toPageView(await this.members.list(caller, query), member => this.presence.toView(member));
  }

  @Post()
  @Summary(
    'Create a member without an invite. Requires an API key.',
    'The member signs in by single sign-on, or with `password` if the e-mail has no user yet. The password of an existing user never changes. Returns 409 `member_exists` if the e-mail belongs to an active member.',
  )
  @Allow('members:write', { only: 'api_key' })
  @Creates(MemberView)
  @PreparesEffect()
  @Throws(MemberExists, MemberDeactivatedConflict, RoleTooHigh)
  async create(@Caller() caller: ApiKeyPrincipal, @Body() body: CreateMemberBody): Promise<PreparedEffect<MemberView>> {
    const prepared = await this.members.prepare(caller, body);
    return new PreparedEffect(async () => this.presence.toView(await this.members.create(caller, prepared)));
  }

  @Get('me')
  @Summary("Get the caller's own member, with its notification settings.")
  @Allow('session:read', { only: 'agent' })
  @Answers(ProfileView)
  async getProfile(@Caller() caller: AgentPrincipal): Promise<ProfileView> {
    return toProfileRecord(await this.members.get(caller, caller.memberId));
  }

  @Patch('me')
  @Summary("Update the caller's profile, availability and notification settings.")
  @Allow('session:write', { only: 'agent' })
  @Answers(ProfileView)
  async updateProfile(@Caller() caller: AgentPrincipal, @Body() body: UpdateProfileBody): Promise<ProfileView> {
    return toProfileRecord(await this.members.updateProfile(caller, body));
  }

  @Get(':id')
  @Summary('Get a member.')
  @Allow('members:read')
  @Answers(MemberView)
  @Throws(NotFound)
  async get(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<MemberView> {
    return this.presence.toView(await this.members.get(caller, id));
  }

  @Patch(':id')
  @Summary(
    'Update a member.',
    'You cannot change or grant a role above your own. Returns 409 `last_owner` if the workspace would lose its last active owner who sees all channels.',
  )
  @Allow('members:write')
  @Answers(MemberView)
  @Throws(NotFound, RoleTooHigh, LastOwner)
  async update(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() body: UpdateMemberBody,
  ): Promise<MemberView> {
    return this.presence.toView(await this.administration.update(caller, id, body));
  }

  @Post(':id/deactivate')
  @Summary(
    'Deactivate a member.',
    "Revokes the member's tokens, closes its sockets within a second and unassigns its unresolved conversations. Deactivating again changes nothing.",
  )
  @Allow('members:write')
  @Answers(MemberView)
  @Throws(NotFound, RoleTooHigh, LastOwner)
  async deactivate(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<MemberView> {
    return this.presence.toView(await this.administration.deactivate(caller, id));
  }

  @Post(':id/reactivate')
  @Summary(
    'Reactivate a member.',
    'The member can sign in again. Old tokens stay revoked. Reactivating again changes nothing.',
  )
  @Allow('members:write')
  @Answers(MemberView)
  @Throws(NotFound, RoleTooHigh)
  async reactivate(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<MemberView> {
    return this.presence.toView(await this.administration.reactivate(caller, id));
  }
}
