import type { NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * Combines middleware into one handler that runs them in order. Express would match each one against the path for every
 * request, which costs more than most of them.
 */
export function sequentially(...handlers: RequestHandler[]): RequestHandler {
  const from = (index: number, request: Request, response: Response, next: NextFunction): void => {
    const handler = handlers[index];
    if (handler === undefined) return next();
    void handler(request, response, (error?: unknown) => {
      if (error === undefined || error === null) from(index + 1, request, response, next);
      else next(error);
    });
  };
  return (request, response, next) => from(0, request, response, next);
}
