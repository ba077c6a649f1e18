import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { actorOf } from '../../kernel/actor.js';
import { Clock } from '../../kernel/clock.js';
import { LimitReached, NotFound } from '../../kernel/errors.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { EventLogService } from '../../platform/events/event-log.service.js';
import type { TagCountChange } from './tag-counts.js';
import { TagCountsRepository } from './tag-counts.repository.js';
import type { CountedTag, Tag } from './tag.js';
import { tagKey } from './tag.js';
import { unknownTag } from './tags.errors.js';
import './tags.events.js';
import type { Tagged } from './tags.repository.js';
import { TagsRepository } from './tags.repository.js';

/** The tags of a row: ids as stored, and names as shown. */
export interface TagList {
  tagIds: string[];
  tags: string[];
}

@Injectable()
export class TagsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly events: EventLogService,
    private readonly tags: TagsRepository,
    private readonly counts: TagCountsRepository,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  list(principal: StaffPrincipal, query: PageRequest & { query?: string | undefined }): Promise<Page<CountedTag>> {
    return this.counts.findPage(principal, query);
  }

  /**
   * Finds or creates the tags of these names, and locks them until the unit of work ends. Call it before you lock the
   * row that gets them. Names that differ in case alone are one tag, with the workspace's first spelling.
   * @throws LimitReached
   */
  async adopt(workspaceId: string, names: readonly string[]): Promise<TagList> {
    const spellings = new Map<string, string>();
    for (const name of names) if (!spellings.has(tagKey(name))) spellings.set(tagKey(name), name.trim());
    const keys = [...spellings.keys()];
    if (keys.length === 0) return { tagIds: [], tags: [] };
    const known = await this.tags.findByKeys(workspaceId, keys);
    const found = known.length === keys.length ? await this.tags.lockForShare(workspaceId, keys) : [];
    const all = found.length === keys.length ? found : await this.create(workspaceId, spellings);
    const byKey = new Map(all.map(tag => [tag.key, tag]));
    const listed = keys.map(key => byKey.get(key)).filter(tag => tag !== undefined);
    return { tagIds: listed.map(({ id }) => id), tags: listed.map(({ name }) => name) };
  }

  /** Ids by which rows may refer to tags of these names. */
  findIds(workspaceId: string, names: readonly string[]): Promise<string[]> {
    return this.tags.findIds(workspaceId, names.map(tagKey));
  }

  /** Names of the rows' tags, by row id, as they are now. */
  findNames(workspaceId: string, rows: readonly Tagged[]): Promise<Map<string, string[]>> {
    return this.tags.findNames(workspaceId, rows);
  }

  /** Call it last in the transaction. */
  moveCounts(workspaceId: string, changes: readonly TagCountChange[]): Promise<void> {
    return this.counts.move(workspaceId, changes);
  }

  /** Recounts if any count is wrong; writers wait meanwhile. @returns the number of wrong counts */
  repairCounts(): Promise<number> {
    return this.units.run(() => this.counts.repair());
  }

  /**
   * Renames a tag. If another tag has the new name, the two become one.
   * @throws ValidationFailed if there is no such tag
   */
  rename(principal: StaffPrincipal, from: string, to: string): Promise<string> {
    const { workspaceId } = principal;
    return this.units.run(async () => {
      await this.tags.lockList(workspaceId);
      const tags = await this.tags.lock(workspaceId, [tagKey(from), tagKey(to)]);
      const tag = tags.find(({ key }) => key === tagKey(from));
      if (!tag) throw unknownTag('from');
      const target = tags.find(({ key, id }) => key === tagKey(to) && id !== tag.id);
      const name = target?.name ?? to.trim();
      if (name === tag.name) return name;
      if (target) await this.tags.remove(tag, target, this.clock.now());
      else await this.tags.rename(tag, name, tagKey(to));
      await this.record(principal, tag, name, target);
      return name;
    });
  }

  /** Deletes a tag, also from its conversations. @throws NotFound */
  delete(principal: StaffPrincipal, name: string): Promise<Tag> {
    const { workspaceId } = principal;
    return this.units.run(async () => {
      await this.tags.lockList(workspaceId);
      const [tag] = await this.tags.lock(workspaceId, [tagKey(name)]);
      if (!tag) throw new NotFound();
      await this.tags.remove(tag, null, this.clock.now());
      await this.record(principal, tag, null, undefined);
      return tag;
    });
  }

  /** Under the lock of the list, so that two requests never create one tag twice, or more tags than allowed. */
  private async create(workspaceId: string, spellings: ReadonlyMap<string, string>): Promise<Tag[]> {
    await this.tags.lockList(workspaceId);
    const found = await this.tags.lockForShare(workspaceId, [...spellings.keys()]);
    const known = new Set(found.map(({ key }) => key));
    const missing = [...spellings].filter(([key]) => !known.has(key)).map(([key, name]) => ({ key, name }));
    if (missing.length === 0) return found;
    if ((await this.tags.count(workspaceId)) + missing.length > this.config.resourceLimits.tags) {
      throw new LimitReached();
    }
    return [...found, ...(await this.tags.insert(workspaceId, missing))];
  }

  /** @param target the tag that it was merged into */
  private async record(
    principal: StaffPrincipal,
    { id, name }: Tag,
    to: string | null,
    target: Tag | undefined,
  ): Promise<void> {
    await this.events.record({
      type: 'tag.updated',
      workspaceId: principal.workspaceId,
      actor: actorOf(principal),
      payload: { id, from: name, to, into_id: target?.id ?? null },
    });
  }
}
