import { Injectable } from '@nestjs/common';
import type { EventType } from '../../kernel/domain-event.js';
import { EventRegistry } from '../../kernel/event-registry.js';
import type { Page } from '../../kernel/page.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { ApiKeysService } from '../api-keys/index.js';
import { MembersService } from '../members/index.js';
import type { AuditEntry, AuditEntryRecord } from './audit-entry.js';
import { toAuditEntryRecord } from './audit-entry.js';
import type { AuditQuery } from './audit.repository.js';
import { AuditRepository } from './audit.repository.js';

@Injectable()
export class AuditService {
  constructor(
    private readonly entries: AuditRepository,
    private readonly members: MembersService,
    private readonly apiKeys: ApiKeysService,
    private readonly registry: EventRegistry,
  ) {}

  /** @param pattern an action, or a resource's actions as `api_key.*` */
  actionsMatching(pattern: string): EventType[] {
    const prefix = pattern.endsWith('.*') ? pattern.slice(0, -1) : null;
    const audited = this.registry.typesWhere(({ audit }) => audit !== null);
    return audited.filter(type => (prefix === null ? type === pattern : type.startsWith(prefix)));
  }

  /** Adds the current names of the actors. @throws CursorInvalid */
  async list(principal: StaffPrincipal, query: AuditQuery): Promise<Page<AuditEntryRecord>> {
    const { items, nextCursor } = await this.entries.findPage(principal, query);
    const names = await this.namesOf(principal.workspaceId, items);
    const record = (entry: AuditEntry) => toAuditEntryRecord(entry, names.get(entry.actorId ?? '') ?? null);
    return { items: items.map(record), nextCursor };
  }

  private async namesOf(workspaceId: string, entries: AuditEntry[]): Promise<Map<string, string>> {
    const idsOf = (type: AuditEntry['actorType']) => [
      ...new Set(entries.flatMap(({ actorType, actorId }) => (actorType === type && actorId ? [actorId] : []))),
    ];
    const [members, keys] = await Promise.all([
      this.members.findDisplays(workspaceId, idsOf('member')),
      this.apiKeys.findNames(workspaceId, idsOf('api_key')),
    ]);
    return new Map([...[...members].map(([id, { name }]) => [id, name] as const), ...keys]);
  }
}
