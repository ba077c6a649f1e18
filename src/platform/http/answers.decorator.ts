import { applyDecorators, HttpCode, SetMetadata, UseInterceptors } from '@nestjs/common';
import { ApiExtension, ApiExtraModels, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { DomainErrorClass } from '../../kernel/domain-error.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';

const ANSWER = 'answer';

/** A view class, or the schema name of another module's view in the API reference. */
type ViewRef = (new (...args: never[]) => object) | string;

/** A handler's success response: one view or a page of them. */
export interface Answer {
  view: string;
  /** Another view that the handler may answer with, as its query asks. */
  alternative?: string;
  page: boolean;
  /** 201 for a new resource with its own URL. */
  creates: boolean;
  /** A request that is repeated with its `Idempotency-Key` has one effect. */
  once: boolean;
}

interface AnswerOptions extends Partial<Omit<Answer, 'view' | 'alternative'>> {
  alternative?: ViewRef;
  /** False if the handler itself has `KeyedRequestsService` run its work once. */
  intercepted?: boolean;
}

function answer(
  view: ViewRef,
  { alternative, page = false, creates = false, once = creates, intercepted = once }: AnswerOptions,
): MethodDecorator {
  const other = alternative === undefined ? {} : { alternative: nameOf(alternative) };
  const documented: Answer = { view: nameOf(view), ...other, page, creates, once };
  const models = [view, ...(alternative === undefined ? [] : [alternative])].filter(ref => typeof ref !== 'string');
  return applyDecorators(
    HttpCode(creates ? 201 : 200),
    SetMetadata(ANSWER, documented),
    ApiExtraModels(...models),
    ...(intercepted ? [UseInterceptors(IdempotencyInterceptor)] : []),
    ApiExtension('x-answer', documented),
  );
}

function nameOf(view: ViewRef): string {
  return typeof view === 'string' ? view : view.name;
}

/** Sets the route's summary in the API reference. @param details longer description, Markdown */
export function Summary(text: string, details?: string): MethodDecorator {
  return ApiOperation({ summary: text, ...(details === undefined ? {} : { description: details }) });
}

/** Sets the id of a route that moved to another controller: clients generated from the reference know it by that id. */
export function OperationId(operationId: string): MethodDecorator {
  return ApiOperation({ operationId });
}

/**
 * Sets the section of a controller's routes in the API reference.
 * @param description Markdown. Exactly one controller of each section passes it.
 */
export function Section(name: string, description?: string): ClassDecorator {
  return applyDecorators(
    ApiTags(name),
    ...(description === undefined ? [] : [ApiExtension('x-section', { name, description })]),
  );
}

/** Responds 200 with one view. */
export function Answers(view: ViewRef): MethodDecorator {
  return answer(view, {});
}

/** Responds 200 with one of two views, as the query asks. */
export function AnswersEither(view: ViewRef, alternative: ViewRef): MethodDecorator {
  return answer(view, { alternative });
}

/** Responds 200 with one view. Accepts an `Idempotency-Key`, because the effect cannot be repeated without harm. */
export function AnswersOnce(view: ViewRef): MethodDecorator {
  return answer(view, { once: true });
}

/** Responds 200 with `{items, next_cursor}`. */
export function AnswersPage(view: ViewRef): MethodDecorator {
  return answer(view, { page: true });
}

/** Responds 201 with the view of a new resource. Accepts an `Idempotency-Key` unless the route is public. */
export function Creates(view: ViewRef): MethodDecorator {
  return answer(view, { creates: true });
}

/**
 * Like `Creates`, for the most frequent requests. Their handlers have `KeyedRequestsService` run their work once, because
 * interceptors, which are chains of observables, take 30 µs of such a request.
 */
export function CreatesUnintercepted(view: ViewRef): MethodDecorator {
  return answer(view, { creates: true, intercepted: false });
}

/** Responds 201 with the view of a new resource. Ignores an `Idempotency-Key`: each request makes another one. */
export function CreatesAnew(view: ViewRef): MethodDecorator {
  return answer(view, { creates: true, once: false });
}

/** Documents the errors that the handler can throw, besides those common to all such routes. */
export function Throws(...errors: DomainErrorClass[]): MethodDecorator {
  const documented = errors.map(({ code, kind }) => ({ code, kind }));
  return applyDecorators(SetMetadata('throws', documented), ApiExtension('x-errors', documented));
}
