import { env } from 'node:process';

export const limit = env.LIMIT;
