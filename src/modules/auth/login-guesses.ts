import type { Counter } from '../../platform/limits/rate-limit.service.js';

/**
 * Counters of wrong passwords, for all endpoints that check one: per e-mail and address, per e-mail, and per address.
 */
export function loginGuesses(email: string, address: string): Counter[] {
  return [
    ['login', `${email} ${address}`],
    ['login_email', email],
    ['login_address', address],
  ];
}

/** Counter of correct passwords, per e-mail: an attacker's own account must not allow unlimited hashing. */
export function loginSuccesses(email: string): Counter[] {
  return [['login_success', email]];
}
