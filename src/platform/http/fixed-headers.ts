import type { Request, RequestHandler, Response } from 'express';

/**
 * Runs a header middleware once and sets the recorded headers on every response. helmet otherwise builds its policy
 * again for each request. A middleware that reads the request or does anything else is returned unchanged.
 */
export function fixedHeaders(middleware: RequestHandler): RequestHandler {
  const headers = new Map<string, string>();
  let done = false;
  const recorder = {
    setHeader: (name: string, value: string) => void headers.set(name, value),
    // for headers that express sets itself, which are disabled here
    removeHeader: (name: string) => void headers.delete(name),
  };
  try {
    void middleware(
      Object.freeze({}) as Request,
      Object.freeze(recorder) as unknown as Response,
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
