import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import type { AgentPrincipal, StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, AnswersPage, Creates, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { RevokedView } from '../../platform/schemas/deleted.schema.js';
import type { PageView } from '../../platform/schemas/page.schema.js';
import { PageQuery, toPageView } from '../../platform/schemas/page.schema.js';
import { ApiKeyView, CreateApiKeyBody, CreatedApiKeyView, RevokeApiKeyQuery } from './api-key.schema.js';
import { toApiKeyRecord } from './api-key.js';
import { ExpiryInPast } from './api-keys.errors.js';
import { ApiKeysService } from './api-keys.service.js';

@Section('API keys', 'API keys authenticate backends. A key acts for the whole workspace, within its scopes.')
@Controller('api-keys')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Post()
  @Summary(
    'Create an API key.',
    'Requires the session of an owner or admin: a key cannot create keys. Without `scopes` the key may do everything. Store `key` at once: it is shown only once, later only `key_prefix`.',
  )
  @Allow('api-keys:write', { only: 'agent' })
  @Creates(CreatedApiKeyView)
  @Throws(ExpiryInPast)
  async create(@Caller() caller: AgentPrincipal, @Body() body: CreateApiKeyBody): Promise<CreatedApiKeyView> {
    const { apiKey, key } = await this.apiKeys.create(caller, body);
    return { ...toApiKeyRecord(apiKey), key };
  }

  @Get()
  @Summary('List API keys that are not revoked, newest first.')
  @Allow('api-keys:read')
  @AnswersPage(ApiKeyView)
  async list(@Caller() caller: StaffPrincipal, @Query() query: PageQuery): Promise<PageView<ApiKeyView>> {
    return toPageView(await this.apiKeys.list(caller, query), toApiKeyRecord);
  }

  @Delete(':id')
  @Summary(
    'Revoke an API key.',
    'The key and its unused SSO tickets stop working at once. Sessions that the key opened continue unless `end_sessions=true`.',
  )
  @Allow('api-keys:write')
  @Answers(RevokedView)
  @Throws(NotFound)
  async revoke(
    @Caller() caller: StaffPrincipal,
    @IdParam() id: string,
    @Query() query: RevokeApiKeyQuery,
  ): Promise<RevokedView> {
    await this.apiKeys.revoke(caller, id, query.end_sessions === 'true');
    return { id, revoked: true };
  }
}
