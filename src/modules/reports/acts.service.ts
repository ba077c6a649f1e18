import { Injectable } from '@nestjs/common';
import { ChannelsService } from '../channels/index.js';
import { WorkspacesService } from '../workspaces/index.js';
import { ActBook } from './act-book.js';
import { BusinessTimes } from './business-times.js';
import type { Act } from './fact.js';
import { FactsRepository } from './facts.repository.js';
import type { LoggedAct } from './logged-act.js';
import { OpeningsRepository } from './openings.repository.js';
import { OutcomesRepository } from './outcomes.repository.js';

/** Counts acts, in the caller's unit of work, which holds the lock of the facts. */
@Injectable()
export class ActsService {
  constructor(
    private readonly facts: FactsRepository,
    private readonly outcomes: OutcomesRepository,
    private readonly openings: OpeningsRepository,
    private readonly workspaces: WorkspacesService,
    private readonly channels: ChannelsService,
  ) {}

  /** @param acts in order */
  async count(acts: readonly LoggedAct[]): Promise<void> {
    const replacing = acts.filter(({ kind }) => ['resolved', 'withdrawn', 'rated'].includes(kind));
    const book = new ActBook(await this.outcomes.find(replacing));
    const openings = await this.openings.findBefore(acts.filter(({ kind }) => kind === 'resolved'));
    const times = new BusinessTimes(this.workspaces, this.channels);
    for (const act of acts) await this.enter(book, act, times, openings);
    await this.save(book);
  }

  private async save(book: ActBook): Promise<void> {
    await this.facts.add(book.added, book.removed);
    await this.outcomes.remove(book.deleted);
    await this.outcomes.save(book.saved);
  }

  private async enter(book: ActBook, act: LoggedAct, times: BusinessTimes, openings: Map<string, Date>): Promise<void> {
    switch (act.kind) {
      case 'created':
      case 'reopened':
        return book.add({ ...attributionOf(act), counts: [act.kind] });
      case 'answered': {
        const duration = await times.measure('first_response', act, act.askedAt, act.at);
        return book.add({ ...attributionOf(act), counts: [], duration });
      }
      case 'resolved': {
        if (act.byBot)
          return book.addResolve(act, act.messageId, { ...attributionOf(act), counts: ['resolved', 'bot_resolved'] });
        const duration = await times.measure('resolution', act, openings.get(act.messageId) ?? act.at, act.at);
        return book.addResolve(act, act.messageId, { ...attributionOf(act), counts: ['resolved'], duration });
      }
      case 'withdrawn':
        return book.withdrawResolve(act, act.messageId);
      case 'rated':
        return book.addRating(act, { ...attributionOf(act), counts: [`csat_${act.score as 1 | 2 | 3 | 4 | 5}`] });
    }
  }
}

function attributionOf({ workspaceId, channelId, memberId, tagIds, at }: LoggedAct): Omit<Act, 'counts'> {
  return { workspaceId, channelId, memberId, tagIds, at };
}
