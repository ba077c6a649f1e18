import { Choice, Flag, Id, Integer, NestedList } from '../../platform/schemas/fields.js';
import { BotMessageBody } from './bot-answer.schema.js';
import type { BotTestResult } from './bot-tests.service.js';

const optional = true;
const nullable = true;

export class BotTypingBody {
  @Id({ description: 'The bot that types. It must be in control of the conversation.' }) bot_id!: string;
}

export class BotTypingView {
  @Id() conversation_id!: string;
  @Integer({ description: 'Milliseconds until the indicator expires.', example: 8000 }) expires_in_ms!: number;
}

const ERRORS = ['endpoint_unreachable', 'status', 'answer_unusable', 'answer_incomplete'];

export class BotTestView implements BotTestResult {
  @Flag({ description: 'True if the server answered 2xx with an answer that the service can use.' }) ok!: boolean;
  @Integer({ nullable, description: 'HTTP status; null if the server could not be reached.' }) status!: number | null;
  @Integer({ nullable, description: 'Milliseconds to the first byte of the answer.' }) latency_ms!: number | null;
  @NestedList(() => BotMessageBody, { optional }) messages?: BotMessageBody[];
  @Choice(ERRORS, {
    optional,
    description:
      '`endpoint_unreachable`: a refused address, a closed port or a time-out. `status`: not 2xx. ' +
      '`answer_unusable`: not the format of an answer. `answer_incomplete`: broken off, or more than 256 KiB.',
  })
  error?: string;
}
