import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { isEventStream, readEventStream } from '../../platform/outbound/event-stream.js';
import type { OutboundStream } from '../../platform/outbound/outbound-requests.service.js';
import { MESSAGE_CHARS } from '../messages/index.js';
import { AnswerUnusable, isSuccess, readAction, readAnswer, readDelta, readMessage, readText } from './bot-answer.js';
import type { BotMessageBody } from './bot-answer.schema.js';
import type { NumberedMessage } from './bot-answers.service.js';
import { BotAnswersService } from './bot-answers.service.js';
import { BotNoticesService } from './bot-notices.service.js';
import type { DraftStream } from './draft-stream.js';
import type { LiveAttempt } from './live-attempt.js';

/** Reads the answer of a bot's server as it arrives, and stores it. */
@Injectable()
export class AnswerReaderService {
  constructor(
    private readonly answers: BotAnswersService,
    private readonly notices: BotNoticesService,
    private readonly clock: Clock,
  ) {}

  /** @throws AnswerUnusable, TurnLost, AnswerTooLarge, EndpointUnreachable */
  async read(attempt: LiveAttempt, { status, contentType, body }: OutboundStream): Promise<void> {
    if (!isSuccess(status)) throw new AnswerUnusable(`the server answered ${status}`);
    if (isEventStream(contentType)) return this.readStream(attempt, body);
    const { messages = [], action } = readAnswer(contentType, await readText(body));
    const numbered = messages.map(message => numberedIn(attempt, message));
    await this.complete(attempt, numbered, action);
  }

  /** The message that a broken stream leaves; null if it had no text. */
  partialOf(attempt: LiveAttempt): NumberedMessage | null {
    const { draft } = attempt;
    if (!draft || draft.text.trim() === '') return null;
    const content = draft.text.slice(0, MESSAGE_CHARS).replace(/[\uD800-\uDBFF]$/, '');
    return { content, metadata: { draft_id: draft.id, truncated: true }, number: (attempt.messages += 1) };
  }

  private async readStream(attempt: LiveAttempt, body: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const { event, data } of readEventStream(body)) {
      if (event === 'delta' || event === 'message') attempt.extend(this.clock.now());
      if (event === 'delta') this.addToDraft(attempt, readDelta(data));
      else if (event === 'message') await this.storeMessage(attempt, readMessage(data));
      else if (event === 'action') return this.complete(attempt, this.takeDraft(attempt), readAction(data));
    }
    await this.complete(attempt, this.takeDraft(attempt));
  }

  private addToDraft(attempt: LiveAttempt, text: string): void {
    attempt.hasBegun = true;
    const { bot, conversation, turn } = attempt;
    attempt.draft ??= this.notices.startDraft(conversation, bot, newId(), turn.id);
    if (attempt.draft.text.length + text.length > MESSAGE_CHARS) throw new AnswerUnusable('the message is too long');
    attempt.draft.append(text);
  }

  private async storeMessage(attempt: LiveAttempt, body: BotMessageBody): Promise<void> {
    const { draft } = attempt;
    const message = numberedIn(attempt, body);
    const metadata = draft ? { ...message.metadata, draft_id: draft.id } : message.metadata;
    await this.answers.storeMessage(attempt.turn, attempt.bot, { ...message, metadata });
    attempt.draft = null;
    draft?.end('done');
  }

  /** The message of the deltas that no `message` followed. */
  private takeDraft(attempt: LiveAttempt): NumberedMessage[] {
    const { draft } = attempt;
    if (!draft || draft.text.trim() === '') return [];
    return [{ content: draft.text, metadata: { draft_id: draft.id }, number: (attempt.messages += 1) }];
  }

  private async complete(
    attempt: LiveAttempt,
    messages: readonly NumberedMessage[],
    action?: Parameters<BotAnswersService['complete']>[2]['action'],
  ): Promise<void> {
    const { turn, bot, draft } = attempt;
    await this.answers.complete(turn, bot, { messages, action });
    attempt.isComplete = true;
    attempt.draft = null;
    (draft as DraftStream | null)?.end('done');
  }
}

function numberedIn(attempt: LiveAttempt, message: BotMessageBody): NumberedMessage {
  return { ...message, number: (attempt.messages += 1) };
}
