import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { ChannelKey, FirstResponse } from './reply-times.repository.js';
import { ReplyTimesRepository } from './reply-times.repository.js';

/** Records how fast people answer. `ReplyTimeWorker` computes the typical reply time of each channel from it. */
@Injectable()
export class ReplyTimesService {
  constructor(
    private readonly replyTimes: ReplyTimesRepository,
    private readonly clock: Clock,
  ) {}

  /** Records the first answer of a person in a conversation, in the caller's unit of work. */
  async record(conversation: ChannelKey & { id: string }, response: FirstResponse): Promise<void> {
    await this.replyTimes.add(conversation, conversation.id, response, this.clock.now());
  }
}
