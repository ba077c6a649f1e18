import { describe, expect, it } from '@jest/globals';
import { pageWithTicket, takeSecretLink } from '../../clients/dashboard/src/entrance/secret-link.js';

/** A page at this address, which records how its address is replaced. */
function pageAt(href: string) {
  const page = {
    location: { href },
    history: {
      state: { kept: true },
      replaceState: (state: unknown, _unused: string, url: string) => {
        page.states.push(state);
        page.location.href = url;
      },
    },
    states: [] as unknown[],
  };
  return page;
}

const PAGE = 'https://desk.example/dashboard?theme=dark';

describe('The secret in the address of the dashboard', () => {
  it.each([
    ['sso_ticket', 'ticket'],
    ['invite', 'invite'],
    ['reset', 'reset'],
  ] as const)('A page that was opened with #%s= reads the secret, and its address has it no more.', (name, kind) => {
    const page = pageAt(`${PAGE}#${name}=se_cret-1`);
    expect(takeSecretLink(page)).toEqual({ kind, value: 'se_cret-1' });
    expect([page.location.href, page.states]).toEqual([PAGE, [{ kept: true }]]);
    expect(takeSecretLink(page)).toBeUndefined();
  });

  it('A fragment of another script stays, before and after the secret.', () => {
    const page = pageAt(`${PAGE}#a=1&invite=inv_x&conversation=7#tail`);
    expect(takeSecretLink(page)).toEqual({ kind: 'invite', value: 'inv_x' });
    expect(page.location.href).toBe(`${PAGE}#a=1&conversation=7#tail`);
  });

  it('The first of several secrets counts, and the address keeps none.', () => {
    const page = pageAt(`${PAGE}#reset=rst_1&sso_ticket=sst_2`);
    expect(takeSecretLink(page)).toEqual({ kind: 'reset', value: 'rst_1' });
    expect(page.location.href).toBe(PAGE);
  });

  it.each([PAGE, `${PAGE}#`, `${PAGE}#conversation=7`, `${PAGE}#xinvite=1`, `${PAGE}&invite=1`])(
    'The address %s has no secret and is not changed.',
    href => {
      const page = pageAt(href);
      expect(takeSecretLink(page)).toBeUndefined();
      expect([page.location.href, page.states]).toEqual([href, []]);
    },
  );

  it('An empty secret is none, and its name is removed all the same.', () => {
    const page = pageAt(`${PAGE}#invite=`);
    expect(takeSecretLink(page)).toBeUndefined();
    expect(page.location.href).toBe(PAGE);
  });

  it('A page for the SDK has the ticket in its address, until the SDK removes it.', () => {
    const page = pageWithTicket('sst_1');
    expect(new URL(page.location.href).hash).toBe('#sso_ticket=sst_1');
    page.history.replaceState(null, '', 'dashboard:');
    expect(page.location.href).toBe('dashboard:');
  });
});
