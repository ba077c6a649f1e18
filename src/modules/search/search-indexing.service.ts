import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { SearchSource, SegmentSource } from './search-document.js';
import { SearchDocumentsRepository } from './search-documents.repository.js';
import type { SegmentAddition, SegmentGrowth } from './search-segments.repository.js';
import { SearchSegmentsRepository } from './search-segments.repository.js';
import { SEGMENT_DOCUMENTS } from './search-window.js';
import { termsByField, toTsvector } from './text/lexemes.js';

/** A message of 20,000 characters takes about as long. */
const MAX_TURN_MS = 5;

/** A source without texts, and its terms by field. */
type Thing = Omit<SearchSource, 'texts'> & { fields: string[][] };

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
    const things = await oneByOne(sources, ({ texts, ...thing }) => ({ ...thing, fields: termsByField(texts) }));
    const searchable = things.filter(isSearchable);
    await this.documents.remove(things.filter(thing => thing.segmentId !== null && !isSearchable(thing)));
    const assigned = await this.assignSegments(searchable, from);
    const documents = await oneByOne(searchable, ({ fields, ...thing }) => {
      const segmentId = thing.segmentId ?? assigned.get(thing.id) ?? 0;
      return { ...thing, segmentId, terms: toTsvector(segmentId, fields) };
    });
    await this.documents.write(documents);
  }

  /** Adds new things to the open segments of their workspaces. @returns the segments by the ids of the things */
  private async assignSegments(things: readonly Thing[], from: SegmentSource): Promise<Map<string, number>> {
    const assigned = new Map<string, number>();
    const added = groupByWorkspace(things.filter(({ segmentId }) => segmentId === null));
    if (added.size === 0) return assigned;
    const open = await this.segments.findOpen([...added.keys()], from);
    const growths: SegmentGrowth[] = [];
    for (const [workspaceId, { id, documents }] of open) {
      const fitting = added.get(workspaceId)?.splice(0, SEGMENT_DOCUMENTS - documents) ?? [];
      growths.push({ id, ...additionOf(fitting, documents) });
      for (const thing of fitting) assigned.set(thing.id, id);
    }
    // first, because a workspace has one open segment
    await this.segments.grow(growths);
    for (const [workspaceId, rest] of added) {
      while (rest.length > 0) {
        const fitting = rest.splice(0, SEGMENT_DOCUMENTS);
        const id = await this.segments.create(workspaceId, from, additionOf(fitting, 0));
        for (const thing of fitting) assigned.set(thing.id, id);
      }
    }
    return assigned;
  }
}

function isSearchable({ fields }: Thing): boolean {
  return fields.some(terms => terms.length > 0);
}

function groupByWorkspace(things: readonly Thing[]): Map<string, Thing[]> {
  const groups = new Map<string, Thing[]>();
  for (const thing of things) {
    const group = groups.get(thing.workspaceId);
    if (group) group.push(thing);
    else groups.set(thing.workspaceId, [thing]);
  }
  return groups;
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

function additionOf(things: readonly Thing[], documents: number): SegmentAddition {
  const times = things.map(({ createdAt }) => createdAt.getTime());
  return {
    documents: things.length,
    open: documents + things.length < SEGMENT_DOCUMENTS,
    firstAt: new Date(Math.min(...times)),
    lastAt: new Date(Math.max(...times)),
  };
}
