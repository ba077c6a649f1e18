import type { Response } from 'express';

/** Speaks of process.env in a comment, which reads nothing. */
export const fail = (response: Response) => response.end();
