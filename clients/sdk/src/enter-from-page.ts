import type { AgentClient } from './agent-client.js';
import { ApiError } from './api-error.js';
import { removeFragmentParameter, readFragmentParameter, currentPage, type OpenPage } from './page-fragment.js';
import type { AgentSessionView } from './types.js';

export type { OpenPage } from './page-fragment.js';

interface PendingExchange {
  agent: AgentClient;
  session: Promise<AgentSessionView>;
}

const TICKET = 'sso_ticket';

/** Running exchanges by ticket. A ticket is valid once, but frameworks may run a page's start code twice. */
const pendingExchanges = new Map<string, PendingExchange>();

/**
 * Signs in with the ticket in the page's address, then removes it from the address. Call it when a dashboard starts.
 * A concurrent call, also with another client, waits for the same exchange; keep only one client, because both share a
 * refresh token. If the exchange could not be decided (no network, service unavailable, rate limited), the ticket stays
 * in the address, so that a reload retries.
 * @returns the session; null if the address has no ticket
 * @throws ApiError 401 `sso_ticket_invalid` for a used or expired ticket: request a new one from your server
 */
export async function enterFromPage(
  agent: AgentClient,
  page: OpenPage | undefined = currentPage(),
): Promise<AgentSessionView | null> {
  const ticket = page && readFragmentParameter(page, TICKET);
  if (!page || ticket === undefined) return null;
  const pending = pendingExchanges.get(ticket);
  if (pending) {
    const session = await pending.session;
    if (pending.agent !== agent) agent.restore(session);
    return session;
  }
  const exchange = { agent, session: agent.exchange(ticket) };
  pendingExchanges.set(ticket, exchange);
  try {
    const session = await exchange.session;
    removeFragmentParameter(page, TICKET, ticket);
    return session;
  } catch (error) {
    if (!mayRetry(error)) removeFragmentParameter(page, TICKET, ticket);
    throw error;
  } finally {
    pendingExchanges.delete(ticket);
  }
}

function mayRetry(error: unknown): boolean {
  return error instanceof ApiError && (error.transient || error.code === 'rate_limited');
}
