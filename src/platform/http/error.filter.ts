import { ArgumentsHost, Catch, ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { bearerToken } from '../access/authenticator.js';
import { answerJson } from './json-answer.js';
import { contextOf } from '../request/request-context.js';
import { problem, problemHeaders, STATUS, toDomainError } from './problem.js';

/** Turns every error into the standard failure envelope. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  /** @param isDraining while true, a 503 without a cause is expected and not logged */
  constructor(private readonly isDraining: () => boolean) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const error = toDomainError(thrown);
    const { requestId } = contextOf(request);
    const refusedByDrain = error.kind === 'unavailable' && error.cause === undefined && this.isDraining();
    if ((error.kind === 'internal' || error.kind === 'unavailable') && !refusedByDrain) {
      this.logger.error({ method: request.method, path: request.path, err: error.cause ?? thrown });
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const tokenSent = bearerToken(request.headers.authorization) !== null;
    response.statusCode = STATUS[error.kind];
    for (const [name, value] of Object.entries(problemHeaders(error, tokenSent))) response.setHeader(name, value);
    answerJson(response, problem(requestId, error));
  }
}
