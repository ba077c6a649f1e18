import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { SearchSource, SegmentSource } from './search-document.js';
import { SearchDocumentsRepository } from './search-documents.repository.js';
import type { OpenSegment, SegmentGrowth } from './search-segments.repository.js';
import { SearchSegmentsRepository } from './search-segments.repository.js';
import { SEGMENT_DOCUMENTS } from './search-window.js';
import type { TermPositions } from './text/lexemes.js';
import { termPositionsOf, toTsvector } from './text/lexemes.js';

/** A message of 20,000 characters takes about as long. */
const MAX_TURN_MS = 5;

type SearchableThing = Omit<SearchSource, 'texts'> & { positions: TermPositions };

/** Writes the index from the present state of things. */
@Injectable()
export class SearchIndexingService {
  constructor(
    private readonly documents: SearchDocumentsRepository,
    private readonly segments: SearchSegmentsRepository,
  ) {}

  /**
   * Writes these things, or removes those without texts. Runs in a unit of work that locked the index before it read
   * them. A thing stays in its segment for as long as it has texts.
   */
  async write(sources: readonly SearchSource[], from: SegmentSource): Promise<void> {
    if (sources.length === 0) return;
    const segments = await this.documents.findSegments(sources);
    const things = await oneByOne(sources, ({ texts, ...thing }) => ({ ...thing, positions: termPositionsOf(texts) }));
    const searchable = things.filter(({ positions }) => positions.size > 0);
    await this.documents.remove(things.filter(({ id, positions }) => positions.size === 0 && segments.has(id)));
    const added = searchable.filter(({ id }) => !segments.has(id));
    for (const [id, segment] of await this.assignSegments(added, from)) segments.set(id, segment);
    const documents = await oneByOne(searchable, ({ positions, ...thing }) => {
      const segmentId = segments.get(thing.id) ?? 0;
      return { ...thing, segmentId, terms: toTsvector(segmentId, positions) };
    });
    await this.documents.write(documents);
  }

  /** Adds the things to the open segments of their workspaces. @returns the segments by the ids of the things */
  private async assignSegments(added: readonly SearchableThing[], from: SegmentSource): Promise<Map<string, number>> {
    const assigned = new Map<string, number>();
    const workspaceIds = new Set(added.map(({ workspaceId }) => workspaceId));
    const open = await this.segments.findOpen([...workspaceIds], from);
    for (const workspaceId of workspaceIds) {
      let segment = open.get(workspaceId);
      let rest = added.filter(thing => thing.workspaceId === workspaceId);
      for (; rest.length > 0; segment = undefined) {
        const fitting = rest.slice(0, SEGMENT_DOCUMENTS - (segment?.documents ?? 0));
        const id = await this.fill(workspaceId, from, segment, fitting);
        for (const thing of fitting) assigned.set(thing.id, id);
        rest = rest.slice(fitting.length);
      }
    }
    return assigned;
  }

  private async fill(
    workspaceId: string,
    from: SegmentSource,
    segment: OpenSegment | undefined,
    things: readonly SearchableThing[],
  ): Promise<number> {
    const growth = growthOf(things, segment?.documents ?? 0);
    if (!segment) return this.segments.create(workspaceId, from, growth);
    await this.segments.grow(segment.id, growth);
    return segment.id;
  }
}

/** Maps a list like `map`, and lets other work run between items that take long. */
async function oneByOne<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const mapped: R[] = [];
  let begun = performance.now();
  for (const item of items) {
    mapped.push(map(item));
    if (performance.now() - begun < MAX_TURN_MS) continue;
    await nextTurn();
    begun = performance.now();
  }
  return mapped;
}

function growthOf(things: readonly SearchableThing[], documents: number): SegmentGrowth {
  const times = things.map(({ createdAt }) => createdAt.getTime());
  return {
    documents: things.length,
    open: documents + things.length < SEGMENT_DOCUMENTS,
    firstAt: new Date(Math.min(...times)),
    lastAt: new Date(Math.max(...times)),
  };
}
