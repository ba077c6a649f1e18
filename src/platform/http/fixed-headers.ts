import type { Request, RequestHandler, Response } from 'express';

/**
 * A middleware that sets the same headers on every answer, asked for them once: helmet puts its policy together anew
 * for each request. One that looks at the request, or does anything else, stays as it is.
 */
export function fixedHeaders(middleware: RequestHandler): RequestHandler {
  const headers = new Map<string, string>();
  let done = false;
  const asked = {
    setHeader: (name: string, value: string) => void headers.set(name, value),
    // of what express would have set itself, which is switched off
    removeHeader: (name: string) => void headers.delete(name),
  };
  try {
    void middleware(
      Object.freeze({}) as Request,
      Object.freeze(asked) as unknown as Response,
      () => void (done = true),
    );
  } catch {
    done = false;
  }
  if (!done) return middleware;
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}
