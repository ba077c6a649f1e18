import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Creates, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { DeletedView } from '../../platform/schemas/deleted.schema.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { PageQuery, toPageView } from '../../platform/schemas/page.schema.js';
import {
  ChannelView,
  ChannelWithSecretView,
  CreateChannelBody,
  RotateTokenQuery,
  UpdateChannelBody,
} from './channel.schema.js';
import { toChannelRecord } from './channel.js';
import type { ChannelWithSecret } from './channels.service.js';
import { ChannelsService } from './channels.service.js';

@Section('Channels', 'A channel is one widget on one site. Its public `widget_token` opens visitor sessions.')
@Controller('channels')
export class ChannelsController {
  constructor(private readonly channels: ChannelsService) {}

  @Get()
  @Summary('List the channels that the caller can see.')
  @Allow('channels:read')
  @AnswersPage(ChannelView)
  async list(@Caller() caller: StaffPrincipal, @Query() query: PageQuery): Promise<PageView<ChannelView>> {
    return toPageView(await this.channels.list(caller, query), toChannelRecord);
  }

  @Get(':id')
  @Summary('Get a channel.')
  @Allow('channels:read')
  @Answers(ChannelView)
  @Throws(NotFound)
  async get(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<ChannelView> {
    return toChannelRecord(await this.channels.get(caller, id));
  }

  @Post()
  @Summary(
    'Create a channel.',
    'Put `widget_token` into the page; it is public. Keep `identity_secret` on your server: it signs the `identity_token` that proves who a visitor is. The secret is shown only once.',
  )
  @Allow('channels:write', { ofKey: '*' })
  @Creates(ChannelWithSecretView)
  async create(@Caller() caller: StaffPrincipal, @Body() body: CreateChannelBody): Promise<ChannelWithSecretView> {
    return withSecret(await this.channels.create(caller, body.name, body));
  }

  @Patch(':id')
  @Summary(
    'Update a channel.',
    '`routing` and `widget_config` are merged key by key. Lists and `business_hours` are replaced as a whole.',
  )
  @Allow('channels:write')
  @Answers(ChannelView)
  @Throws(NotFound)
  async update(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Body() body: UpdateChannelBody,
  ): Promise<ChannelView> {
    return toChannelRecord(await this.channels.update(caller, id, body));
  }

  @Delete(':id')
  @Summary('Delete a channel.', 'Its conversations stay readable. Its visitor sessions end.')
  @Allow('channels:write')
  @Answers(DeletedView)
  @Throws(NotFound)
  async delete(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<DeletedView> {
    await this.channels.delete(caller, id);
    return { id, deleted: true };
  }

  @Post(':id/rotate-token')
  @Summary(
    'Replace the public token.',
    'Pages with the old token can no longer open sessions. Open sessions continue unless `end_sessions=true`.',
  )
  @Allow('channels:write')
  @Answers(ChannelView)
  @Throws(NotFound)
  async rotateToken(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Query() query: RotateTokenQuery,
  ): Promise<ChannelView> {
    return toChannelRecord(await this.channels.rotateToken(caller, id, query.end_sessions === 'true'));
  }

  @Post(':id/rotate-identity-secret')
  @Summary(
    'Replace the identity secret.',
    'Identity tokens signed with the old secret stop working at once, and so do the visitor tokens of verified contacts. The new secret is shown only once.',
  )
  @Allow('channels:write', { ofKey: '*' })
  @Answers(ChannelWithSecretView)
  @Throws(NotFound)
  async rotateIdentitySecret(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<ChannelWithSecretView> {
    return withSecret(await this.channels.rotateIdentitySecret(caller, id));
  }
}

function withSecret({ channel, identitySecret }: ChannelWithSecret): ChannelWithSecretView {
  return { ...toChannelRecord(channel), identity_secret: identitySecret };
}
