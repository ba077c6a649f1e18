/**
 * Secrets that the service issued or received while a spec file ran. `leaks.ts` checks that none is stored or logged in
 * clear. A text in the format of a secret counts as one, even if the test never saw it issued.
 */

/**
 * Each format is a prefix followed by 256 random bits, an API key's 32 characters, or the signature in the URL of a file; a
 * JWT is its three parts.
 */
const FORMATS: Record<string, [prefix: string, rest: string]> = {
  'an API key': ['svc_sk_', '[A-Za-z0-9]{32}'],
  'an SSO ticket': ['sst_', '[\\w-]{43}'],
  'an invite': ['inv_', '[\\w-]{43}'],
  'a reset link': ['rst_', '[\\w-]{43}'],
  'an identity secret': ['ids_', '[\\w-]{43}'],
  'a signing secret': ['whsec_', '[A-Za-z0-9+/]{43}='],
  'the signature of a file': ['signature=', '[\\w-]{32}'],
  'a token': ['eyJ', '[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.[\\w-]{43}'],
};

const names = Object.keys(FORMATS);
/** A secret follows no letter or digit: a long ciphertext can contain any prefix by chance. */
const anySecret = new RegExp(
  Object.values(FORMATS)
    .map(([prefix, rest]) => `(?<![\\w-])(${prefix}${rest})`)
    .join('|'),
  'g',
);
/** Secrets in the hex form in which PostgreSQL prints bytes. */
const anyHex = new RegExp(
  `(?:${Object.values(FORMATS)
    .map(([prefix]) => hex(prefix))
    .join('|')})(?:[0-9a-f]{2})+`,
  'g',
);
/** A run long enough to be a secret without its prefix, or one in another encoding. */
const anyRun = /(?<![\w-])[\w-]{32,}/g;
/** Length of 256 bits in base64, which end with one `=`. Texts without `=` are not searched for it. */
const BASE64_LENGTH = 44;

/** Kind of each secret, keyed by every encoding it could appear in. */
const kindByEncoding = new Map<string, string>();
/** Kind of each secret that has no recognisable format, such as a password. */
const kindByText = new Map<string, string>();
const planted = new Set<string>();
const harmless = new Set<string>();

export interface Found {
  /** `an API key`, `a password` */
  kind: string;
  value: string;
}

/** Remembers every secret found in a response, mail or request header. */
export function rememberSecrets(text: string): void {
  for (const { kind, value } of secretsByFormat(text)) {
    const bare = value.startsWith('eyJ')
      ? (value.split('.').at(-1) ?? '')
      : value.replace(/^(?:(?:svc_sk|[a-z]+)_|signature=)/, '');
    const bytes = [Buffer.from(value), Buffer.from(bare), Buffer.from(bare, 'base64')];
    const writings = bytes.flatMap(each => ['hex', 'base64', 'base64url'].map(to => each.toString(to as 'hex')));
    for (const writing of [bare, ...writings]) kindByEncoding.set(writing, kind);
  }
}

/**
 * Remembers a secret without a format, such as a password. Ignores values under 10 characters, which occur everywhere.
 */
export function rememberSecret(kind: string, value: unknown): void {
  if (typeof value !== 'string' || value.length < 10 || harmless.has(value)) return;
  for (const writing of [value, JSON.stringify(value).slice(1, -1)]) kindByText.set(writing, kind);
}

/** Remembers the passwords in a request body. */
export function rememberPasswords(body: unknown): void {
  const { password, old_password } = (body ?? {}) as { password?: unknown; old_password?: unknown };
  for (const value of [password, old_password]) rememberSecret('a password', value);
}

/** Marks a secret as stored on purpose, because a test wrote it into a message or name. It still must not be logged. */
export function plantedOnPurpose(value: string): string {
  planted.add(value);
  return value;
}

/** Marks texts as harmless even when a test sends them as a password. */
export function notSecret(...values: string[]): void {
  for (const value of values) harmless.add(value);
}

/** @param kept true if the text comes from a database, where planted secrets are allowed */
export function secretsIn(text: string, kept: boolean): Found[] {
  const plain = secretsByFormat(text);
  const others = reencodedSecrets(text).filter(({ value }) => !plain.some(each => each.value.endsWith(value)));
  const found = [...plain, ...hexSecrets(text), ...others, ...secretsByValue(text)];
  return kept ? found.filter(({ value }) => !planted.has(value)) : found;
}

function secretsByFormat(text: string): Found[] {
  return [...text.matchAll(anySecret)].map(([value, ...groups]) => ({
    kind: names[groups.findIndex(group => group !== undefined)] ?? '',
    value,
  }));
}

function hexSecrets(text: string): Found[] {
  return [...text.matchAll(anyHex)].flatMap(([value]) => secretsByFormat(Buffer.from(value, 'hex').toString('latin1')));
}

function reencodedSecrets(text: string): Found[] {
  if (kindByEncoding.size === 0) return [];
  const found: Found[] = [];
  const look = (run: string): void => {
    const kind = kindByEncoding.get(run);
    if (kind !== undefined) found.push({ kind: `${kind}, or a part of it`, value: run });
  };
  for (const [run] of text.matchAll(anyRun)) look(run);
  for (let end = text.indexOf('=') + 1; end > 0; end = text.indexOf('=', end) + 1) {
    const piece = text.slice(Math.max(0, end - BASE64_LENGTH), end);
    if (/[+/]/.test(piece)) look(piece); // without these characters, `anyRun` has found it
  }
  return found;
}

function secretsByValue(text: string): Found[] {
  return [...kindByText].flatMap(([value, kind]) => (text.includes(value) ? [{ kind, value }] : []));
}

function hex(text: string): string {
  return Buffer.from(text).toString('hex');
}
