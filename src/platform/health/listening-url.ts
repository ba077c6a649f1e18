import type { AddressInfo, Server } from 'node:net';

/** The URL of the address that a server is bound to, e.g. `http://[::]:3000` for every address of the machine. */
export function listeningUrl(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
