import { siteOf } from '../../kernel/client-origin.js';
import { presentOrigin } from '../http/present-request.js';
import type { Share } from './fair-concurrency-queue.js';

/** The share of this principal at the network of the present request; work without a request has a network of its own. */
export function presentShare(principal: string): Share {
  return { network: siteOf(presentOrigin()?.network ?? 'none'), principal };
}
