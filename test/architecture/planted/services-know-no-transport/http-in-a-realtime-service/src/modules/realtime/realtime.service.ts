import type { Response } from 'express';

export type Answer = Response;
