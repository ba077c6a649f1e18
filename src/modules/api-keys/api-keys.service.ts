import { Injectable } from '@nestjs/common';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import { InvalidToken, NotFound, TokenExpired } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import type { AgentPrincipal, ApiKeyPrincipal, StaffPrincipal } from '../../kernel/principal.js';
import { sha256 } from '../../kernel/secret.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import { ApiKeyTeardownHooks } from './api-key-teardown-hooks.js';
import { ApiKeyRefusalsService } from './api-key-refusals.service.js';
import { ApiKeyUsageJob } from './api-key-usage.job.js';
import type { ApiKey } from './api-key.js';
import { isApiKey, keyPrefixOf, newApiKey, toApiKeyRecord } from './api-key.js';
import { ExpiryInPast } from './api-keys.errors.js';
import './api-keys.events.js';
import { ApiKeysRepository } from './api-keys.repository.js';

export interface NewApiKey {
  name: string;
  expires_at?: string | undefined;
  scopes?: string[] | undefined;
}

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly keys: ApiKeysRepository,
    private readonly usage: ApiKeyUsageJob,
    private readonly refusals: ApiKeyRefusalsService,
    private readonly teardownHooks: ApiKeyTeardownHooks,
    private readonly clock: Clock,
  ) {}

  list(principal: StaffPrincipal, page: PageRequest): Promise<Page<ApiKey>> {
    return this.keys.findPage(principal, page);
  }

  /** Names by key id. Includes revoked keys, for the audit log. */
  findNames(workspaceId: string, ids: readonly string[]): Promise<Map<string, string>> {
    return this.keys.findNames(workspaceId, ids);
  }

  /** @returns the key in plain text, which is shown only once @throws ExpiryInPast */
  async create(principal: AgentPrincipal, fields: NewApiKey): Promise<{ apiKey: ApiKey; key: string }> {
    const expiresAt = fields.expires_at ? new Date(fields.expires_at) : null;
    const now = this.clock.now();
    if (expiresAt && expiresAt <= now) throw new ExpiryInPast();
    const key = newApiKey();
    const apiKey: ApiKey = {
      id: newId(),
      workspaceId: principal.workspaceId,
      name: fields.name,
      keyHash: sha256(key),
      keyPrefix: keyPrefixOf(key),
      scopes: fields.scopes ?? ['*'],
      expiresAt,
      lastUsedAt: null,
      createdBy: principal.memberId,
      revokedAt: null,
      createdAt: now,
    };
    return this.units.run(async () => {
      await this.keys.insert(apiKey);
      await this.recordEvent('api_key.created', apiKey, principal);
      return { apiKey, key };
    });
  }

  /**
   * Revokes the key. The second of two concurrent revocations throws NotFound.
   * @param endSessions also ends the sessions that the key opened
   * @throws NotFound
   */
  async revoke(principal: StaffPrincipal, id: string, endSessions: boolean): Promise<void> {
    await this.units.run(async () => {
      const apiKey = await this.keys.lockVisible(principal, id);
      if (!apiKey) throw new NotFound();
      apiKey.revokedAt = this.clock.now();
      await this.keys.save(apiKey);
      await this.recordEvent('api_key.revoked', apiKey, principal);
      if (endSessions) await this.teardownHooks.run(apiKey, principal);
    });
  }

  /** @throws InvalidToken, TokenExpired */
  async authenticate(token: string): Promise<ApiKeyPrincipal> {
    const key = isApiKey(token) ? await this.keys.findByHash(sha256(token)) : undefined;
    if (!key) throw new InvalidToken();
    const { id, workspaceId, scopes } = key;
    if (key.revokedAt) {
      this.refusals.record(workspaceId, { id, reason: 'revoked' });
      throw new InvalidToken();
    }
    if (key.expiresAt && key.expiresAt <= this.clock.now()) {
      this.refusals.record(workspaceId, { id, reason: 'expired' });
      throw new TokenExpired();
    }
    this.usage.record(workspaceId, id);
    return { kind: 'api_key', workspaceId, apiKeyId: id, keyScopes: scopes };
  }

  /**
   * Checks that the key is valid, and blocks its revocation until the unit of work ends. A revocation therefore comes
   * first, or finds what was done with the key.
   */
  lockForShare(workspaceId: string, id: string): Promise<boolean> {
    return this.keys.lockForShare(workspaceId, id, this.clock.now());
  }

  private async recordEvent(
    type: 'api_key.created' | 'api_key.revoked',
    apiKey: ApiKey,
    by: StaffPrincipal,
  ): Promise<void> {
    const payload = toApiKeyRecord(apiKey);
    await this.events.record({ type, workspaceId: apiKey.workspaceId, actor: actorOf(by), payload });
  }
}
