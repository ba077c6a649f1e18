import type { AddressInfo, Server } from 'node:net';

/** Returns the URL of the address that a server is bound to, e.g. `http://[::]:3000` for all addresses. */
export function listeningUrl(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
