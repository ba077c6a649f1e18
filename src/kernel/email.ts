import { domainToASCII, domainToUnicode } from 'node:url';

const LOCAL = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/;
/** Letters, marks and digits of any script. The URL parser would drop or decode other characters. */
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_CHARACTERS = 254;

/**
 * Returns the canonical form in which e-mail addresses are stored and compared, or null when the text is not an
 * address. The form is trimmed, with ASCII letters in lower case and the domain in Punycode: `bücher.example`,
 * `BÜCHER.example` and `xn--bcher-kva.example` are one domain.
 *
 * Rejects a local part outside ASCII: a look-alike from another script must not pass for a colleague. Rejects unusual
 * spellings of a domain (full-width letters, soft hyphens, escapes, line breaks).
 */
export function normaliseEmail(text: string): string | null {
  const written = text.trim().replace(/[A-Z]/g, letter => letter.toLowerCase());
  const at = written.lastIndexOf('@');
  if (at < 1 || written.length > MAX_CHARACTERS) return null;
  const local = written.slice(0, at);
  const domain = written.slice(at + 1);
  if (!LOCAL.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..')) return null;
  if (!DOMAIN.test(domain) || domain.normalize('NFKC') !== domain) return null;
  const ascii = domainToASCII(domain);
  const labels = ascii.split('.');
  if (labels.length < 2 || !labels.every(label => LABEL.test(label) && isValidPunycode(label))) return null;
  // keep an ASCII domain unchanged: the URL parser would rewrite one that looks like a number
  const email = `${local}@${isAscii(domain) ? domain : ascii}`;
  return email.length > MAX_CHARACTERS ? null : email;
}

/** Newer lines of Node accept labels that begin with `xn--` and encode nothing; older ones reject them. */
function isValidPunycode(label: string): boolean {
  if (!label.startsWith('xn--')) return true;
  const decoded = domainToUnicode(label);
  return decoded !== label && domainToASCII(decoded) === label;
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
