import type { Counter } from '../../platform/limits/rate-limiter.js';

/** Wrong passwords, at whichever door, are counted per e-mail and address, per e-mail, and per address. */
export function loginGuesses(email: string, address: string): Counter[] {
  return [
    ['login', `${email} ${address}`],
    ['login_email', email],
    ['login_address', address],
  ];
}

/** Right passwords are counted per e-mail: an account of one's own must not be a way to have any number hashed. */
export function loginSuccesses(email: string): Counter[] {
  return [['login_success', email]];
}
