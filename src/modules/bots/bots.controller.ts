import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { CursorInvalid, LimitReached, NotFound } from '../../kernel/errors.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Creates, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { DeletedView } from '../../platform/schemas/deleted.schema.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { PageQuery, toPageView } from '../../platform/schemas/page.schema.js';
import { PreparedEffect, PreparesEffect } from '../../platform/idempotency/prepared-effect.js';
import { BotView, BotWithSecretView, CreateBotBody, UpdateBotBody } from './bot.schema.js';
import type { Bot, BotRecord } from './bot.js';
import { toBotRecord, withoutQuery } from './bot.js';
import type { BotWithSecret } from './bots.service.js';
import { BotsService } from './bots.service.js';

@Section(
  'Bots',
  'Bots answer visitors before people do. A bot is not a member and has no password. Each bot has a secret that signs the deliveries to its `webhook_url`.',
)
@Controller('bots')
export class BotsController {
  constructor(private readonly bots: BotsService) {}

  @Get()
  @Summary('List bots, oldest first.')
  @Allow('bots:read')
  @AnswersPage(BotView)
  @Throws(CursorInvalid)
  async list(@Caller() caller: StaffPrincipal, @Query() query: PageQuery): Promise<PageView<BotView>> {
    return toPageView(await this.bots.list(caller, query), bot => viewFor(caller, bot));
  }

  @Get(':id')
  @Summary('Get a bot. The secret is not included.')
  @Allow('bots:read')
  @Answers(BotView)
  @Throws(NotFound)
  async get(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<BotView> {
    return viewFor(caller, await this.bots.get(caller, id));
  }

  @Post()
  @Summary(
    'Create a bot.',
    'The response contains the secret, which is shown only once. It signs deliveries to `webhook_url` by the Standard Webhooks scheme. A workspace has at most 100 bots.',
  )
  @Allow('bots:write')
  @Creates(BotWithSecretView)
  @PreparesEffect()
  @Throws(LimitReached)
  async create(
    @Caller() caller: StaffPrincipal,
    @Body() body: CreateBotBody,
  ): Promise<PreparedEffect<BotWithSecretView>> {
    await this.bots.assertCallable(body);
    return new PreparedEffect(async () => withSecret(caller, await this.bots.create(caller, body)));
  }

  @Patch(':id')
  @Summary('Update a bot.')
  @Allow('bots:write')
  @Answers(BotView)
  @Throws(NotFound)
  async update(@Caller() caller: StaffPrincipal, @IdParam() id: string, @Body() body: UpdateBotBody): Promise<BotView> {
    return viewFor(caller, await this.bots.update(caller, id, body));
  }

  @Delete(':id')
  @Summary(
    'Delete a bot.',
    'Its messages stay. Its conversations are handed off to people, and channels stop routing to it.',
  )
  @Allow('bots:write')
  @Answers(DeletedView)
  @Throws(NotFound)
  async delete(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<DeletedView> {
    await this.bots.delete(caller, id);
    return { id, deleted: true };
  }

  @Post(':id/rotate-secret')
  @Summary('Rotate the secret. For 24 hours deliveries are signed with the old secret too.')
  @Allow('bots:write')
  @Answers(BotWithSecretView)
  @Throws(NotFound)
  async rotateSecret(@Caller() caller: StaffPrincipal, @IdParam() id: string): Promise<BotWithSecretView> {
    return withSecret(caller, await this.bots.rotateSecret(caller, id));
  }
}

/** Only API keys see the query of the URL. */
function viewFor(caller: StaffPrincipal, bot: Bot): BotRecord {
  return caller.kind === 'agent' ? withoutQuery(toBotRecord(bot)) : toBotRecord(bot);
}

function withSecret(caller: StaffPrincipal, { bot, secret }: BotWithSecret): BotWithSecretView {
  return { ...viewFor(caller, bot), secret };
}
