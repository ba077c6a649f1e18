/** A fictional contact. */
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

/** Returns the person for a number; always the same one, repeating after 340. */
export function personAt(index: number): Person {
  // 20 and 17 have no common divisor, so every pair of names occurs
  const given = GIVEN[index % GIVEN.length]!;
  const family = FAMILY[index % FAMILY.length]!;
  return { name: `${given} ${family}`, email: `${asciiLetters(given)}.${asciiLetters(family)}@example.com` };
}

/** Keeps the ASCII letters of a name, for an e-mail address. */
function asciiLetters(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();
}
