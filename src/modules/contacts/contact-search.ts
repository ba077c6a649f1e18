import { normaliseEmail } from '../../kernel/email.js';
import { likePattern } from '../../platform/database/like.js';

/** An SQL condition on the table `contact`, with its parameters. */
interface Condition {
  condition: string;
  parameters: Record<string, string>;
}

/** Returns a condition that a contact's e-mail or one of the columns contains the text. */
export function containsText(columns: readonly ('name' | 'phone')[], text: string): Condition {
  const email = emailContains(normaliseEmail(text) ?? text);
  return {
    condition: `(${[...columns.map(column => `contact.${column} ILIKE :text`), email.condition].join(' OR ')})`,
    parameters: { ...email.parameters, text: likePattern(text) },
  };
}

/**
 * For a text with an `@` it uses the index of reversed local parts, because the text before the `@` must end the local
 * part. The trigram index would scan all addresses of the domain; PostgreSQL underestimates that cost, so `|| ''` keeps
 * the pattern from this index.
 */
function emailContains(text: string): Condition {
  const parameters = { email: likePattern(text) };
  const at = text.indexOf('@');
  if (at < 1) return { condition: 'contact.email ILIKE :email', parameters };
  const backwards = [...text.slice(0, at).toLowerCase()].reverse().join('');
  return {
    condition: `(reverse(lower(split_part(contact.email, '@', 1))) LIKE :backwards AND contact.email || '' ILIKE :email)`,
    parameters: { ...parameters, backwards: likePattern(backwards).slice(1) },
  };
}
