import { applyDecorators, HttpCode, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiExtension, ApiExtraModels, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { DomainErrorClass } from '../../kernel/domain-error.js';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';

export const ANSWER = 'answer';

/** A wire shape; another module's by the name under which the API reference has it. */
type ViewRef = (new (...args: never[]) => object) | string;

/** What a handler answers: one view, or a page of them; what it makes has an address of its own. */
export interface Answer {
  view: string;
  page: boolean;
  creates: boolean;
}

function answer(view: ViewRef, page: boolean, creates: boolean): MethodDecorator {
  const documented: Answer = { view: typeof view === 'string' ? view : view.name, page, creates };
  return applyDecorators(
    HttpCode(creates ? 201 : 200),
    SetMetadata(ANSWER, documented),
    ...(typeof view === 'string' ? [] : [ApiExtraModels(view)]),
    ...(creates ? [UseInterceptors(IdempotencyInterceptor)] : []),
    ApiExtension('x-answer', documented),
  );
}

/** What the route does, as the API reference says it; `details` is Markdown for what one line does not hold. */
export function Summary(text: string, details?: string): MethodDecorator {
  return ApiOperation({ summary: text, ...(details === undefined ? {} : { description: details }) });
}

/**
 * The section of the API reference in which a controller's routes stand. One controller of each section describes it.
 * @param description Markdown; left out where another controller of the section has it
 */
export function Section(name: string, description?: string): ClassDecorator {
  return applyDecorators(
    ApiTags(name),
    ...(description === undefined ? [] : [ApiExtension('x-section', { name, description })]),
  );
}

/** 200 with one view. */
export function Answers(view: ViewRef): MethodDecorator {
  return answer(view, false, false);
}

/** 200 with `{items, next_cursor}`. */
export function AnswersPage(view: ViewRef): MethodDecorator {
  return answer(view, true, false);
}

/** 201 with one view: a row with an address of its own has been made. Authenticated, takes an Idempotency-Key. */
export function Creates(view: ViewRef): MethodDecorator {
  return answer(view, false, true);
}

/** The errors that a handler's rules can give, besides those that every such route gives. */
export function Throws(...errors: DomainErrorClass[]): MethodDecorator {
  const documented = errors.map(({ code, kind }) => ({ code, kind }));
  return applyDecorators(SetMetadata('throws', documented), ApiExtension('x-errors', documented));
}
