import { Injectable } from '@nestjs/common';
import { Clock, toWireTime } from '../../kernel/clock.js';
import { Unavailable } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { RateLimitService } from '../../platform/limits/rate-limit.service.js';
import { isEventStream, readEventStream } from '../../platform/outbound/event-stream.js';
import type { OutboundStream } from '../../platform/outbound/outbound-requests.service.js';
import {
  EndpointUnreachable,
  OutboundRequestsService,
  OutboundStopped,
} from '../../platform/outbound/outbound-requests.service.js';
import type { Bot } from '../bots/index.js';
import { BotsService } from '../bots/index.js';
import { MESSAGE_CHARS } from '../messages/index.js';
import { AnswerUnusable, isSuccess, readAction, readAnswer, readDelta, readMessage, readText } from './bot-answer.js';
import type { BotMessageBody } from './bot-answer.schema.js';
import { BotUrlMissing } from './bot-dialogue.errors.js';

/** Time for a whole answer to a test. */
const MAX_TEST_MS = 30_000;

/** The outcome of a test delivery. */
export interface BotTestResult {
  ok: boolean;
  /** Null if the server could not be reached. */
  status: number | null;
  latency_ms: number | null;
  /** The answer's messages, if it could be read. */
  messages?: BotMessageBody[];
  error?: string;
}

/** Sends test deliveries, so that a bot's server can be tried without a visitor. */
@Injectable()
export class BotTestsService {
  constructor(
    private readonly bots: BotsService,
    private readonly outbound: OutboundRequestsService,
    private readonly limiter: RateLimitService,
    private readonly clock: Clock,
  ) {}

  /** @throws NotFound, BotUrlMissing, RateLimited @throws Unavailable when this instance stops */
  async run(principal: StaffPrincipal, id: string): Promise<BotTestResult> {
    const bot = await this.bots.get(principal, id);
    if (bot.webhookUrl === null) throw new BotUrlMissing();
    await this.limiter.consume('endpoint_test', principal.workspaceId);
    const deliveryId = newId();
    const signal = AbortSignal.timeout(MAX_TEST_MS);
    const request = {
      signal,
      url: bot.webhookUrl,
      workspaceId: principal.workspaceId,
      id: deliveryId,
      secrets: this.bots.signingSecretsOf(bot),
      body: JSON.stringify(this.sampleDelivery(bot, deliveryId)),
    };
    try {
      return await this.outbound.stream(request, readResult);
    } catch (error) {
      if (error instanceof OutboundStopped) throw new Unavailable({ retryAfter: 1, cause: error });
      if (!(error instanceof EndpointUnreachable) && !signal.aborted) throw error;
      return { ok: false, status: null, latency_ms: null, error: 'endpoint_unreachable' };
    }
  }

  private sampleDelivery({ workspaceId, id: botId }: Bot, deliveryId: string): object {
    const at = toWireTime(this.clock.now());
    const [conversationId, contactId] = [newId(), newId()];
    const content = 'Hello! This is a test.';
    return {
      event: 'test',
      delivery_id: deliveryId,
      conversation: { id: conversationId, workspace_id: workspaceId, contact_id: contactId, bot_id: botId, number: 1 },
      message: {
        id: newId(),
        conversation_id: conversationId,
        seq: 1,
        sender_type: 'contact',
        content,
        created_at: at,
      },
      contact: { id: contactId, external_id: null, name: 'Test', email: null, verified: false },
      history: [],
    };
  }
}

async function readResult(answer: OutboundStream): Promise<BotTestResult> {
  const { status, latencyMs: latency_ms } = answer;
  if (!isSuccess(status)) return { ok: false, status, latency_ms, error: 'status' };
  try {
    return { ok: true, status, latency_ms, messages: await readMessages(answer) };
  } catch (error) {
    if (error instanceof OutboundStopped) throw error;
    const code = error instanceof AnswerUnusable ? 'answer_unusable' : 'answer_incomplete';
    return { ok: false, status, latency_ms, error: code };
  }
}

async function readMessages({ contentType, body }: OutboundStream): Promise<BotMessageBody[]> {
  if (!isEventStream(contentType)) return readAnswer(contentType, await readText(body)).messages ?? [];
  const messages: BotMessageBody[] = [];
  let draft = '';
  for await (const { event, data } of readEventStream(body)) {
    if (event === 'delta') draft += readDelta(data);
    else if (event === 'action') readAction(data);
    else if (event === 'message') {
      messages.push(readMessage(data));
      draft = '';
    }
  }
  if (draft.length > MESSAGE_CHARS) throw new AnswerUnusable('the message is too long');
  return draft.trim() === '' ? messages : [...messages, { content: draft }];
}
