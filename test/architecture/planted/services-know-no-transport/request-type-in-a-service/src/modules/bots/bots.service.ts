import type { Request } from 'express';

export type Caller = Request;
