import type { NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * Handlers of every request as one: each is called when the one before has called `next`. express would look up, match
 * against the path and unpack each anew, which costs more than most of them do.
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
