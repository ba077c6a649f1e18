import type { Identity } from './api.js';
import type { Shell } from './seam.js';

/**
 * Removes an id without its proof, which would open the history of a person to anyone who guesses it. A channel that
 * verifies no identities accepts it.
 */
export function acceptableIdentity<Person extends Identity>(person: Person, config: Shell['config']): Person {
  const { externalId, ...rest } = person;
  if (!externalId || person.identityToken || config.identity_verification === 'off') return person;
  console.warn('support-chat: externalId is ignored without identityToken');
  return rest as Person;
}
