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

/** Exchanges under way, by ticket: a ticket is good once, and frameworks run what a page does at its start twice. */
const pendingExchanges = new Map<string, PendingExchange>();

/**
 * For a dashboard, when it starts: signs in with the ticket in the page's address, then takes it out of there. Asked
 * again meanwhile it waits for the one exchange, for another client too; keep one of them, for they share a refresh
 * token. A ticket that nobody could be asked about (no network, the service is away or has too many requests) stays in
 * the address, so that a reload tries again.
 * @returns the session; null where the page was opened without a ticket
 * @throws ApiError 401 `sso_ticket_invalid` for one that is spent or too old: ask your server for a new one
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
