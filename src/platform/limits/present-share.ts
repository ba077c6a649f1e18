import { siteOf } from '../../kernel/client-origin.js';
import { presentOrigin } from '../request/present-request.js';
import type { Share } from './fair-concurrency-queue.js';

/** @returns the principal's share on the current request's network; work outside a request has the network `none` */
export function presentShare(principal: string): Share {
  return { network: siteOf(presentOrigin()?.network ?? 'none'), principal };
}
