import { expect, it } from '@jest/globals';
import { TwoInstances } from '../../support/two-instances.js';

it('A test fails while two services and their database run', async () => {
  const instances = await TwoInstances.start();
  const desk = await instances.worlds[0].desk();
  await instances.worlds[1].agentSocket(desk.owner);
  expect('planted').toBe('failure');
  await instances.stop();
});
