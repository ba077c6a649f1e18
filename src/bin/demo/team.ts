import { AgentClient, ApiError, type ServerClient } from '@support-chat/sdk';

/** The other agents of the demo's desk. */
export const COLLEAGUES = [
  { email: 'sam@demo.example', name: 'Sam' },
  { email: 'grace@demo.example', name: 'Grace' },
];

/** Enough for every conversation that demos play at once, besides those that earlier ones left open. */
const CAPACITY = 1_000;

/** Creates the colleagues if this is the first run, and logs them in with the password. */
export async function signInColleagues(
  baseUrl: string,
  server: ServerClient,
  password: string,
): Promise<AgentClient[]> {
  const clients: AgentClient[] = [];
  for (const colleague of COLLEAGUES) {
    await createOrReactivate(server, { ...colleague, password });
    const client = new AgentClient({ baseUrl });
    await client.login({ email: colleague.email, password });
    clients.push(client);
  }
  return clients;
}

/** Makes the agents available for assignments. Their sockets make them online. */
export async function makeAvailable(owner: AgentClient, agents: readonly AgentClient[]): Promise<void> {
  for (const agent of agents) {
    const { id } = await agent.members.updateMe({ availability: 'online' });
    await owner.members.update(id, { capacity: CAPACITY });
  }
}

async function createOrReactivate(
  server: ServerClient,
  person: { email: string; name: string; password: string },
): Promise<void> {
  const { items } = await server.members.list({ limit: 200 });
  const known = items.find(({ email }) => email === person.email);
  if (known?.status === 'deactivated') await server.members.reactivate(known.id);
  if (!known) await server.members.create(person).catch(ignoreMemberExists);
}

/** A demo that runs at the same time may have created the member since. */
function ignoreMemberExists(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'member_exists') throw error;
}
