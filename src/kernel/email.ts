import { domainToASCII } from 'node:url';

const LOCAL = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/;
/** Letters, marks and digits of any script. What the URL standard would take out or decode on the way is none. */
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The one way an e-mail address becomes a key: trimmed, ASCII letters lower-cased, nothing else changed. A local part
 * outside ASCII is refused, so that no look-alike of another script passes for a colleague; a domain outside ASCII is
 * kept as written, so its look-alikes stay different addresses. One that is only another writing of the same domain
 * (full-width letters, soft hyphens, escapes, line breaks) is refused: it would be a second user of one mailbox.
 * @returns null when the text is no address
 */
export function normaliseEmail(text: string): string | null {
  const email = text.trim().replace(/[A-Z]/g, letter => letter.toLowerCase());
  const at = email.lastIndexOf('@');
  if (at < 1 || email.length > 254) return null;
  const local = email.slice(0, at);
  const domain = email.slice(at + 1);
  if (!DOMAIN.test(domain) || domain.normalize('NFKC') !== domain) return null;
  const labels = domainToASCII(domain).split('.');
  if (!LOCAL.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..')) return null;
  if (labels.length < 2 || !labels.every(label => LABEL.test(label))) return null;
  return email;
}
