import { Body, Controller, Logger, Post } from '@nestjs/common';
import type { StaffPrincipal } from '../../kernel/principal.js';
import { Allow } from '../../platform/access/access.decorator.js';
import { Caller } from '../../platform/access/caller.decorator.js';
import { Answers, Section, Summary } from '../../platform/http/answers.decorator.js';
import { toDomainError } from '../../platform/http/problem.js';
import { invalidField } from '../../platform/schemas/validation.js';
import type { BulkResultView } from './bulk-action.schema.js';
import { BulkActionBody, BulkResultsView } from './bulk-action.schema.js';
import type { BulkAction, BulkOutcome } from './bulk-action.js';
import { BulkActionsService } from './bulk-actions.service.js';

/** In a module of its own, because conversations do not know messages. */
@Section('Conversations')
@Controller('conversations/bulk')
export class BulkActionsController {
  private readonly logger = new Logger(BulkActionsController.name);

  constructor(private readonly bulkActions: BulkActionsService) {}

  @Post()
  @Summary(
    'Do one thing to up to 100 conversations.',
    'Each conversation passes the checks of its single route and succeeds or fails alone. `read` marks all messages as read. Ten conversations count as one request in the rate limit. `Idempotency-Key` is ignored.',
  )
  @Allow('conversations:write')
  @Answers(BulkResultsView)
  async run(@Caller() caller: StaffPrincipal, @Body() body: BulkActionBody): Promise<BulkResultsView> {
    const outcomes = await this.bulkActions.run(caller, body.ids, toAction(body));
    return { results: outcomes.map(outcome => this.toResult(outcome)) };
  }

  private toResult({ id, error: thrown }: BulkOutcome): BulkResultView {
    if (thrown === undefined) return { id, ok: true };
    const error = toDomainError(thrown);
    const { code, message, details } = error;
    if (error.kind === 'internal' || error.kind === 'unavailable')
      this.logger.error({ id, err: error.cause ?? thrown });
    return { id, ok: false, error: { code, message, ...(details ? { details } : {}) } };
  }
}

/** @throws ValidationFailed if the action lacks what it needs */
function toAction({ action, member_id: memberId, until, tag, priority }: BulkActionBody): BulkAction {
  switch (action) {
    case 'assign':
      return { action, memberId: memberId === undefined ? missing('member_id') : memberId };
    case 'snooze':
      return { action, until: until === undefined ? null : new Date(until) };
    case 'tag':
    case 'untag':
      return { action, tag: tag ?? missing('tag') };
    case 'priority':
      return { action, priority: priority ?? missing('priority') };
    case 'resolve':
    case 'reopen':
    case 'wake':
    case 'read':
      return { action };
  }
}

function missing(field: string): never {
  return invalidField(field, 'required', `${field} is required for this action`);
}
