import { DomainError } from '../../kernel/domain-error.js';
import { readShape } from '../../platform/schemas/validation.js';
import { assertSendable } from '../messages/index.js';
import { BotActionAnswer, BotAnswer, BotMessageBody } from './bot-answer.schema.js';

/** The bot's server answered what the service cannot use. The attempt has failed and is made again. */
export class AnswerUnusable extends Error {}

/**
 * Reads the JSON of a whole answer. An empty body, or one that is no JSON by its type, has no messages: the bot answers
 * later.
 * @throws AnswerUnusable
 */
export function readAnswer(contentType: string, body: string): BotAnswer {
  if (body.trim() === '' || !/^application\/([\w.+-]+\+)?json\b/i.test(contentType)) return {};
  const answer = readAs(BotAnswer, body);
  answer.messages?.forEach(assertUsable);
  return answer;
}

/** @throws AnswerUnusable */
export function readMessage(json: string): BotMessageBody {
  const message = readAs(BotMessageBody, json);
  assertUsable(message);
  return message;
}

/** @throws AnswerUnusable for what a message may not contain */
function assertUsable(message: BotMessageBody): void {
  try {
    assertSendable(message);
  } catch (error) {
    throw error instanceof DomainError ? new AnswerUnusable(error.code, { cause: error }) : error;
  }
}

/** @throws AnswerUnusable */
export function readAction(json: string): BotActionAnswer {
  return readAs(BotActionAnswer, json);
}

/** True for a status that counts as an answer. Redirects are not followed. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

export async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** @returns the text of a piece of a streamed message @throws AnswerUnusable */
export function readDelta(json: string): string {
  const value = parse(json) as { text?: unknown };
  if (typeof value.text !== 'string') throw new AnswerUnusable('a delta has no text');
  return value.text;
}

function readAs<Shape extends object>(type: new () => Shape, json: string): Shape {
  try {
    return readShape(type, parse(json), 'answer');
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const [fault] = error.details ?? [];
    throw new AnswerUnusable(`${error.code}: ${fault?.field ?? ''} ${fault?.message ?? ''}`, { cause: error });
  }
}

function parse(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new AnswerUnusable('the answer is no JSON', { cause: error });
  }
  throw new AnswerUnusable('the answer is no JSON object');
}
