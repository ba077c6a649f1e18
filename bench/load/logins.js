import { randomBytes, randomInt } from 'node:crypto';
import { client } from '../client.js';
import { steadily } from '../pace.js';

/**
 * Logins with wrong passwords from ever new addresses, every other one for an e-mail that nobody has. When the time is
 * over, those that have no answer yet hang up.
 * @param emails that somebody has
 * @returns how many were `checked`, `refused` because there were too many, `unanswered`, and `failed`
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

/** Whom the service's proxy says that a call is from. */
export function from(address) {
  return { 'X-Forwarded-For': address };
}

export function someAddress() {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
}
