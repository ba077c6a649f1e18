import { Body, Controller, Post } from '@nestjs/common';
import { NotFound } from '../../kernel/errors.js';
import type { ApiKeyPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller, IdParam } from '../../platform/access/caller.decorator.js';
import { Answers, OperationId, Section, Summary, Throws } from '../../platform/http/answers.decorator.js';
import { BotNotInControl } from '../conversations/index.js';
import { BotTypingBody, BotTypingView } from './bot-dialogue.schema.js';
import { BotTypingService, TYPING_MS } from './bot-typing.service.js';

@Section('Conversations')
@Controller('conversations')
export class BotTypingController {
  constructor(private readonly typing: BotTypingService) {}

  @Post(':id/typing')
  @Summary(
    'Show a bot typing, for 8 seconds.',
    'For a bot that answers later through the API. Its time for an answer begins anew. While the service waits for an HTTP answer of the bot, it shows the bot typing itself.',
  )
  @OperationId('Conversations_typing')
  @Allow('conversations:write', { only: 'api_key' })
  @Answers(BotTypingView)
  @Throws(NotFound, BotNotInControl)
  async show(
    @Caller() caller: ApiKeyPrincipal,
    @IdParam() id: string,
    @Body() { bot_id }: BotTypingBody,
  ): Promise<BotTypingView> {
    await this.typing.show(caller, id, bot_id);
    return { conversation_id: id, expires_in_ms: TYPING_MS };
  }
}
