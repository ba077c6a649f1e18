import { once } from 'node:events';
import { createServer } from 'node:http';

/** HTTP servers that receive webhooks, each on an address of its own, because the service limits requests per host. */
export class Endpoints {
  servers = [];

  /**
   * Starts servers that answer 204 at once, and one that never answers if `dead`.
   * @param receive called with each request's body: buffer, start and end
   * @returns `{urls, dead?}`
   */
  async open({ count, dead }, receive) {
    const urls = [];
    for (let index = 0; index < count; index += 1) urls.push(await this.listen(index, answering(receive)));
    return { urls, ...(dead && { dead: await this.listen(count, () => undefined) }) };
  }

  async listen(index, onRequest) {
    const server = createServer(onRequest);
    this.servers.push(server);
    const host = `127.0.0.${2 + index}`;
    await once(server.listen(0, host), 'listening');
    return `http://${host}:${server.address().port}/`;
  }

  close() {
    for (const server of this.servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  }
}

const answering = receive => (request, response) => {
  const chunks = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    receive(body, 0, body.length);
    response.writeHead(204).end();
  });
};
