import { randomBytes, randomInt } from 'node:crypto';
import { client } from '../client.js';
import { steadily } from '../pace.js';

/**
 * Sends logins with wrong passwords, each from a new address, half of them for unknown e-mails. At the end, logins
 * without a response are aborted.
 * @param emails of registered users
 * @returns the number of `checked`, `refused` (rate-limited), `unanswered` and `failed` logins
 */
export async function logins({ port, emails, perSecond, seconds }) {
  const { call, close } = client(port, { sockets: 512 });
  const counts = { checked: 0, refused: 0, unanswered: 0, failed: 0 };
  let over = false;
  setTimeout(() => {
    over = true;
    close();
  }, seconds * 1000);
  await steadily(perSecond, seconds * 1000, async index => {
    const email = index % 2 === 0 ? emails[randomInt(emails.length)] : `${randomBytes(6).toString('hex')}@example.com`;
    const body = { email, password: 'a wrong one' };
    const { status } = await call('POST', '/v1/auth/login', body, undefined, from(someAddress())).catch(() => ({}));
    if (status === undefined && over) counts.unanswered += 1;
    else counts[{ 401: 'checked', 429: 'refused', 503: 'refused' }[status] ?? 'failed'] += 1;
  });
  return counts;
}

/** Header by which the service's proxy names the client address. */
export function from(address) {
  return { 'X-Forwarded-For': address };
}

export function someAddress() {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
}
