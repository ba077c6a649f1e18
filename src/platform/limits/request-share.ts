import { siteOf } from '../../kernel/client-origin.js';
import { getRequestOrigin } from '../request/current-request.js';
import type { Share } from './fair-concurrency-queue.js';

/** @returns the principal's share on the current request's network; work outside a request has the network `none` */
export function getRequestShare(principal: string): Share {
  return { network: siteOf(getRequestOrigin()?.network ?? 'none'), principal };
}
