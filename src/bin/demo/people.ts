/** Somebody who writes to the shop. */
export interface Person {
  name: string;
  email: string;
}

const GIVEN =
  'Maya Tomás Aisha Jonas Ingrid Kofi Leïla Wei Priya Nils Zofia Mateo Hana Owen Amara Luca Freya Yusuf Elena Dmitri'.split(
    ' ',
  );
const FAMILY =
  'Lindqvist Okafor Moreau Tanaka Novak Haddad Ferreira Weber Sharma Kowalczyk Byrne Rossi Eriksen Nguyen Duarte Brandt Vasquez'.split(
    ' ',
  );

/** The same number is always the same person; 340 pass before one comes back. */
export function personAt(index: number): Person {
  // 20 and 17 share no divisor, so that walking both lists at once meets every pair.
  const given = GIVEN[index % GIVEN.length]!;
  const family = FAMILY[index % FAMILY.length]!;
  return { name: `${given} ${family}`, email: `${plain(given)}.${plain(family)}@example.com` };
}

/** An address takes ASCII letters only. */
function plain(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();
}
