import type { TagCountChange } from '../tags/index.js';
import type { Conversation } from './conversation.js';

type Counted = Pick<Conversation, 'channelId' | 'status' | 'tagIds'>;

/** Which counts of unresolved conversations by tag change with these conversations. */
export function tagCountChanges(changes: readonly { from: Counted | null; to: Counted }[]): TagCountChange[] {
  return changes.flatMap(({ from, to }) => {
    const [before, after] = [from ? countedTags(from) : [], countedTags(to)];
    const { channelId } = to;
    return [
      ...after.filter(id => !before.includes(id)).map((tagId): TagCountChange => ({ tagId, channelId, change: 1 })),
      ...before.filter(id => !after.includes(id)).map((tagId): TagCountChange => ({ tagId, channelId, change: -1 })),
    ];
  });
}

function countedTags({ status, tagIds }: Counted): readonly string[] {
  return status === 'resolved' ? [] : tagIds;
}
