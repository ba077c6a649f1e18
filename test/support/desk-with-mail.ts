import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { MailServer } from './mail-server.js';
import type { Desk } from './world.js';
import { World } from './world.js';

/** Like `desk-for-each`, with a mail server that the service sends to. */
export let server: MailServer;
export let world: World;
export let desk: Desk;

beforeAll(async () => {
  server = await MailServer.start();
  world = await World.start({ SMTP_URL: server.url, MAIL_FROM: 'Desk <desk@example.com>' }, { realMail: true });
});
afterEach(() => world.app.clock.reset());
afterAll(async () => {
  await world.stop();
  await server.stop();
});

beforeEach(async () => {
  server.mode = 'accepts';
  desk = await world.desk();
});
