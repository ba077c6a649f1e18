import { Injectable } from '@nestjs/common';
import type { ChannelScope } from '../../kernel/channel-scope.js';
import { narrow } from '../../kernel/channel-scope.js';
import { Unavailable } from '../../kernel/errors.js';
import type { Page } from '../../kernel/page.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { scopeOf } from '../../kernel/principal.js';
import { KeyedConcurrencyQueue } from '../../platform/database/keyed-concurrency-queue.js';
import type { FoundItem } from './found-items.js';
import { FoundItemsService } from './found-items.service.js';
import { SearchCandidatesRepository } from './search-candidates.repository.js';
import type { Candidate } from './search-document.js';
import type { SearchPosition, SearchRequest } from './search-request.js';
import { positionBefore, positionOf, toCursor } from './search-request.js';
import { SearchSegmentsRepository } from './search-segments.repository.js';
import type { SearchWindow } from './search-window.js';
import { nextWindow, WindowSizes } from './search-window.js';
import { toTsquery } from './text/lexemes.js';

/** After this time a statement is cancelled, and the search fails. */
const LIMIT_MS = 2_000;
/** Searches of one workspace at the same time, so that they leave connections and processor time to others. */
const LANES = 2;
/** After this time or so many hits that are not shown, a page ends before it is full. */
const ENOUGH_MS = 1_000;
const ENOUGH_CANDIDATES = 2_000;
/** Hits per statement. Some more than a page, because some are not shown. */
const EXTRA_CANDIDATES = 10;

/** Hits in order, and the position after them. */
interface CandidateBatch {
  candidates: Candidate[];
  end: SearchPosition | null;
}

/** Searches messages, conversations and contacts, the newest first. */
@Injectable()
export class SearchService {
  private readonly workspaces = new KeyedConcurrencyQueue(LANES);

  constructor(
    private readonly segments: SearchSegmentsRepository,
    private readonly index: SearchCandidatesRepository,
    private readonly items: FoundItemsService,
  ) {}

  /** A page may have fewer items than its limit, also if another page follows. @throws Unavailable after two seconds */
  search(principal: StaffPrincipal, request: SearchRequest): Promise<Page<FoundItem>> {
    const deadline = performance.now() + LIMIT_MS;
    return this.workspaces.run(principal.workspaceId, LIMIT_MS, () => this.readPage(principal, request, deadline));
  }

  private async readPage(
    principal: StaffPrincipal,
    request: SearchRequest,
    deadline: number,
  ): Promise<Page<FoundItem>> {
    const begun = performance.now();
    const items: FoundItem[] = [];
    let examined = 0;
    for await (const { candidates, end } of this.readCandidates(principal, request, deadline)) {
      const read = await this.items.read(principal, request, candidates);
      for (const [index, candidate] of candidates.entries()) {
        const item = read[index];
        if (item) items.push(item);
        if (items.length < request.limit) continue;
        const isLast = end === null && index === candidates.length - 1;
        return { items, nextCursor: isLast ? null : toCursor(positionOf(candidate)) };
      }
      examined += candidates.length;
      const isEnough = examined >= ENOUGH_CANDIDATES || performance.now() - begun > ENOUGH_MS;
      if (isEnough && end !== null) return { items, nextCursor: toCursor(end) };
    }
    return { items, nextCursor: null };
  }

  /** Reads hits window by window. A common word is found in the newest one, a rare word needs all. */
  private async *readCandidates(
    principal: StaffPrincipal,
    request: SearchRequest,
    deadline: number,
  ): AsyncGenerator<CandidateBatch> {
    const { workspaceId } = principal;
    const channels = narrow(scopeOf(principal), request.channelId === undefined ? null : [request.channelId]);
    const all = await this.segments.findAll(workspaceId, timeLeft(deadline));
    const from = request.from === undefined ? null : new Date(request.from);
    const segments = all.filter(({ lastAt }) => from === null || lastAt >= from);
    let upTo = earlier(request.after?.at ?? null, request.to === undefined ? null : new Date(request.to));
    const sizes = new WindowSizes(request.limit + EXTRA_CANDIDATES);
    for (;;) {
      const window = nextWindow(segments, upTo, sizes.documents);
      if (!window) return;
      for await (const batch of this.readWindow(window, { ...request, upTo, channels, workspaceId }, deadline)) {
        sizes.addHits(batch.candidates.length);
        yield batch;
      }
      if (window.after === null) return;
      upTo = window.after;
      sizes.advance();
    }
  }

  private async *readWindow(
    { segmentIds, after: newerThan }: SearchWindow,
    request: SearchRequest & { upTo: Date | null; channels: ChannelScope; workspaceId: string },
    deadline: number,
  ): AsyncGenerator<CandidateBatch> {
    const queries = segmentIds.map(segment => toTsquery(segment, request.query));
    const limit = request.limit + EXTRA_CANDIDATES;
    const windowEnd = newerThan && positionBefore(newerThan);
    for (let { after } = request; ;) {
      const candidates = await this.index.find({ ...request, queries, newerThan, after, limit }, timeLeft(deadline));
      const last = candidates.at(-1);
      const isFull = last !== undefined && candidates.length === limit;
      yield { candidates, end: isFull ? positionOf(last) : windowEnd };
      if (!isFull) return;
      after = positionOf(last);
    }
  }
}

/** @throws Unavailable */
function timeLeft(deadline: number): number {
  const left = Math.floor(deadline - performance.now());
  if (left <= 0) throw new Unavailable();
  return left;
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
