import { expect, it } from '@jest/globals';

const pause = () => new Promise(resolve => setTimeout(resolve, 50));

it('A test fails by a rejection that nothing handles', async () => {
  void Promise.reject(new Error('the rejection'));
  await pause();
});

it('A test passes between two that fail', async () => {
  await pause();
  expect(true).toBe(true);
});

it('A test fails by an error in a timer', async () => {
  setTimeout(() => {
    throw new Error('the timer');
  }, 1);
  await pause();
});
