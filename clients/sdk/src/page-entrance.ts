import type { AgentClient } from './agent-client.js';
import { ApiError } from './api-error.js';
import { dropFromFragment, inFragment, presentPage, type OpenPage } from './page-fragment.js';
import type { AgentSessionView } from './types.js';

export type { OpenPage } from './page-fragment.js';

interface Entrance {
  agent: AgentClient;
  session: Promise<AgentSessionView>;
}

const TICKET = 'sso_ticket';

/** Exchanges under way, by ticket: a ticket is good once, and frameworks run what a page does at its start twice. */
const entrances = new Map<string, Entrance>();

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
  page: OpenPage | undefined = presentPage(),
): Promise<AgentSessionView | null> {
  const ticket = page && inFragment(page, TICKET);
  if (!page || ticket === undefined) return null;
  const underWay = entrances.get(ticket);
  if (underWay) {
    const session = await underWay.session;
    if (underWay.agent !== agent) agent.restore(session);
    return session;
  }
  const entrance = { agent, session: agent.exchange(ticket) };
  entrances.set(ticket, entrance);
  try {
    const session = await entrance.session;
    dropFromFragment(page, TICKET, ticket);
    return session;
  } catch (error) {
    if (!mayStillBeGood(error)) dropFromFragment(page, TICKET, ticket);
    throw error;
  } finally {
    entrances.delete(ticket);
  }
}

function mayStillBeGood(error: unknown): boolean {
  return error instanceof ApiError && (error.transient || error.code === 'rate_limited');
}
