import { createServer } from 'node:net';

/** The wanted port, or, when somebody has it, one that nobody has. */
export async function freePort(wanted: number): Promise<number> {
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? wanted;
}

function tryPort(port: number): Promise<number | null> {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? null) : null));
    });
  });
}
