import type { OpenPage } from '@support-chat/sdk';

/** The fragment parameters of links that the service mails or redirects to. Each is valid once. */
const PARAMETERS = { ticket: 'sso_ticket', invite: 'invite', reset: 'reset' } as const;

/** A secret that stood in the address of the page. */
export interface SecretLink {
  kind: keyof typeof PARAMETERS;
  value: string;
}

/**
 * Reads the secret in the fragment of the page's address, and removes it there, without a reload or a history entry.
 * Other parts of the fragment stay. Call it before anything else can read the address.
 * @returns undefined if there is none; the first one if there are several, all of which are removed
 */
export function takeSecretLink({ location, history }: OpenPage): SecretLink | undefined {
  const [address = '', ...fragment] = location.href.split('#');
  const parts = fragment.join('#').split('&');
  const secrets = parts.map(secretIn);
  if (!secrets.some(secret => secret !== undefined)) return undefined;
  const rest = parts.filter((_part, index) => secrets[index] === undefined).join('&');
  history.replaceState(history.state, '', rest === '' ? address : `${address}#${rest}`);
  return secrets.find(secret => secret !== undefined && secret.value !== '');
}

function secretIn(part: string): SecretLink | undefined {
  for (const kind of Object.keys(PARAMETERS) as SecretLink['kind'][]) {
    const prefix = `${PARAMETERS[kind]}=`;
    if (part.startsWith(prefix)) return { kind, value: part.slice(prefix.length) };
  }
  return undefined;
}

/** A page of no browser whose address has this ticket, for `enterFromPage` of the SDK. */
export function pageWithTicket(ticket: string): OpenPage {
  const page = {
    location: { href: `dashboard:#${PARAMETERS.ticket}=${ticket}` },
    history: {
      state: null,
      replaceState: (_state: unknown, _unused: string, url: string) => void (page.location.href = url),
    },
  };
  return page;
}
