import { Injectable } from '@nestjs/common';
import type { Backlog } from '../../platform/jobs/backlog.js';
import type { DueQuery, DueRow } from '../../platform/jobs/due.worker.js';
import { DueWorker, WorkerDependencies } from '../../platform/jobs/due.worker.js';
import { TagsService } from '../tags/index.js';
import type { FacetSource } from './conversation-facets.repository.js';
import { ConversationFacetsRepository } from './conversation-facets.repository.js';
import { tagCountChanges } from './tag-counts.js';
import type { TaggedConversation } from './tag-removals.repository.js';
import { TagRemovalsRepository } from './tag-removals.repository.js';

/** Conversations per transaction. */
const SLICE = 100;

/**
 * Takes merged and deleted tags off their conversations, in slices, and then deletes them. Readers already see the
 * result: they join the names.
 */
@Injectable()
export class TagRemovalWorker extends DueWorker<DueRow> {
  protected readonly name = 'tag_removals';

  constructor(
    dependencies: WorkerDependencies,
    private readonly removals: TagRemovalsRepository,
    private readonly facets: ConversationFacetsRepository,
    private readonly tags: TagsService,
  ) {
    super(dependencies);
  }

  protected claim(query: DueQuery): Promise<DueRow[]> {
    return this.removals.findDue(query);
  }

  /** One slice; the row stays due until none is left. */
  protected work(tag: DueRow): Promise<boolean> {
    const { workspaceId } = tag;
    return this.transaction(async () => {
      const removed = await this.removals.lock(tag);
      if (!removed) return false;
      const conversations = await this.removals.lockConversations(tag, SLICE);
      const changes = conversations.map(from => ({ from, to: replaceTag(from, tag.id, removed.target) }));
      if (changes.length === 0) await this.removals.delete(tag);
      else {
        await this.removals.writeTags(
          workspaceId,
          changes.map(({ to }) => to),
        );
        await this.facets.move(
          workspaceId,
          changes.map(({ from, to }) => ({ from: toSource(from), to: toSource(to) })),
        );
        await this.tags.moveCounts(workspaceId, tagCountChanges(changes));
      }
      return true;
    });
  }

  protected measure(now: Date): Promise<Backlog> {
    return this.removals.measure(now);
  }
}

function replaceTag(conversation: TaggedConversation, id: string, target: string | null): TaggedConversation {
  const replaced = conversation.tagIds.map(tagId => (tagId === id ? target : tagId)).filter(tagId => tagId !== null);
  return { ...conversation, tagIds: [...new Set(replaced)] };
}

/** Only tags differ. */
function toSource({ id, tagIds, lastActivityAt }: TaggedConversation): FacetSource {
  return { id, tagIds, lastActivityAt, priority: 'none', csat: null };
}
