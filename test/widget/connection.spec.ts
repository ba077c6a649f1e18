import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { VisitorClient, type StoredVisitorSession } from '@support-chat/sdk';
import { Connection } from '../../clients/widget/src/connection.js';
import { VisitorStorage } from '../../clients/widget/src/state/visitor-storage.js';
import { eventually } from '../support/eventually.js';
import { memoryStorage } from '../support/memory-storage.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { World } from '../support/world.js';

let world: World;
let network: TcpProxy;
const opened: Connection[] = [];
beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  network = await TcpProxy.start(world.app.url);
});
afterEach(async () => {
  for (const connection of opened.splice(0)) connection.close();
  await network.stop();
});
afterAll(() => world.stop());

/** Prepares the connection of a visitor who has been here before. @param read of the present state; may fail */
async function returning(read: () => Promise<void>): Promise<Connection> {
  const { widgetToken } = await world.desk();
  const deviceStorage = memoryStorage();
  const storage = new VisitorStorage(deviceStorage, widgetToken);
  const onSession = (session: StoredVisitorSession) => storage.set('session', JSON.stringify(session));
  await VisitorClient.start({ baseUrl: world.app.url, widgetToken, onSession });
  storage.set('details', JSON.stringify([undefined, undefined, undefined, 'en', {}]));
  const baseUrl = new URL(network.rewriteUrl(world.app.url)).origin;
  const options = { baseUrl, widgetToken, identity: {}, locale: 'en', storage, deviceStorage };
  const events = { frame() {}, changed() {}, forgotten() {}, refused() {}, synchronize: read };
  const connection = new Connection(options, events);
  opened.push(connection);
  return connection;
}

const reaches = (connection: Connection, state: Connection['state']) =>
  eventually(() => connection.state === state || undefined);

describe('The connection of a visitor', () => {
  it('A visitor who comes back while the network is down gets the present state once it is up', async () => {
    let reads = 0;
    const connection = await returning(async () => void (reads += 1));
    await network.refuse();
    connection.connect();
    await reaches(connection, 'lost');
    await network.heal();
    await reaches(connection, 'connected');
    expect(reads).toBe(1);
    network.reset();
    await reaches(connection, 'lost');
    await reaches(connection, 'connected');
    expect(reads).toBe(1);
  });

  it('The present state is read until that has succeeded', async () => {
    let reads = 0;
    const connection = await returning(async () => {
      reads += 1;
      if (reads < 3) throw new Error('The network is down.');
    });
    connection.connect();
    await eventually(() => reads === 3 || undefined);
  });

  it('The present state is read again if it must be while it is read, and only once for many frames', async () => {
    let reads = 0;
    let answer = (): void => undefined;
    const connection = await returning(() => new Promise(resolve => ((reads += 1), (answer = resolve))));
    connection.connect();
    await eventually(() => reads === 1 || undefined);
    connection.refresh();
    connection.refresh();
    answer();
    await eventually(() => reads === 2 || undefined);
    answer();
    await new Promise(resolve => setImmediate(resolve));
    expect(reads).toBe(2);
  });
});
