import type { Counter } from '../../platform/limits/rate-limiter.js';

/** Wrong passwords, at whichever door, are counted per e-mail and address, per e-mail, and per address. */
export function loginGuesses(email: string, address: string): Counter[] {
  return [
    ['login', `${email} ${address}`],
    ['login_email', email],
    ['login_address', address],
  ];
}
