/**
 * The secrets that were given out or sent while a spec file ran. None of them may be found at rest or in a log again:
 * `leaks.ts` looks. What has the form of a secret is one, whether it was seen being given out or not.
 */

/** 256 random bits, or as many characters as an API key has, after a prefix; a JWT by its three parts. */
const FORMS: Record<string, [prefix: string, rest: string]> = {
  'an API key': ['svc_sk_', '[A-Za-z0-9]{32}'],
  'an SSO ticket': ['sst_', '[\\w-]{43}'],
  'an invite': ['inv_', '[\\w-]{43}'],
  'a reset link': ['rst_', '[\\w-]{43}'],
  'an identity secret': ['ids_', '[\\w-]{43}'],
  'a signing secret': ['whsec_', '[A-Za-z0-9+/]{43}='],
  'a token': ['eyJ', '[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.[\\w-]{43}'],
};

const names = Object.keys(FORMS);
const anySecret = new RegExp(
  Object.values(FORMS)
    .map(([prefix, rest]) => `(${prefix}${rest})`)
    .join('|'),
  'g',
);
/** As PostgreSQL shows bytes. A run of bytes that begins like a secret is read and looked at as text. */
const anyHex = new RegExp(
  `(?:${Object.values(FORMS)
    .map(([prefix]) => hex(prefix))
    .join('|')})(?:[0-9a-f]{2})+`,
  'g',
);
/** What a secret without its prefix, or written in another way, would be a whole run of. */
const anyRun = /(?<![\w-])[\w-]{32,}/g;
/** 256 bits in base64 are this long and end with the one `=`: those who look for it need not look at all the rest. */
const SIGNING = 44;

/** By how it might be written: which kind of secret it is. */
const written = new Map<string, string>();
/** Texts that have no form. */
const texts = new Map<string, string>();
const planted = new Set<string>();
const harmless = new Set<string>();

export interface Found {
  /** `an API key`, `a password` */
  what: string;
  value: string;
}

/** Remembers every secret in what was answered, mailed or sent. */
export function given(text: string): void {
  for (const { what, value } of formed(text)) {
    const bare = value.startsWith('eyJ') ? (value.split('.').at(-1) ?? '') : value.replace(/^(svc_sk|[a-z]+)_/, '');
    const bytes = [Buffer.from(value), Buffer.from(bare), Buffer.from(bare, 'base64')];
    const writings = bytes.flatMap(each => ['hex', 'base64', 'base64url'].map(to => each.toString(to as 'hex')));
    for (const writing of [bare, ...writings]) written.set(writing, what);
  }
}

/** Remembers a secret that only those who chose it know as one. Short ones are found everywhere. */
export function givenAs(what: string, value: unknown): void {
  if (typeof value !== 'string' || value.length < 10 || harmless.has(value)) return;
  for (const writing of [value, JSON.stringify(value).slice(1, -1)]) texts.set(writing, what);
}

/** Remembers what a body says is a password. */
export function givenIn(body: unknown): void {
  const { password, old_password } = (body ?? {}) as { password?: unknown; old_password?: unknown };
  for (const value of [password, old_password]) givenAs('a password', value);
}

/**
 * Says that a secret lies in the database because somebody said it there (in a message, a name), and not because the
 * service kept it. No log may have it all the same.
 */
export function plantedOnPurpose(value: string): string {
  planted.add(value);
  return value;
}

/** Says that these texts are no secrets, whoever sends them as a password. */
export function notSecret(...values: string[]): void {
  for (const value of values) harmless.add(value);
}

/** @param kept whether the text is what a database keeps, where some may have been planted */
export function secretsIn(text: string, kept: boolean): Found[] {
  const plain = formed(text);
  const others = inOtherWriting(text).filter(({ value }) => !plain.some(each => each.value.endsWith(value)));
  const found = [...plain, ...inHex(text), ...others, ...withoutForm(text)];
  return kept ? found.filter(({ value }) => !planted.has(value)) : found;
}

function formed(text: string): Found[] {
  return [...text.matchAll(anySecret)].map(([value, ...groups]) => ({
    what: names[groups.findIndex(group => group !== undefined)] ?? '',
    value,
  }));
}

function inHex(text: string): Found[] {
  return [...text.matchAll(anyHex)].flatMap(([value]) => formed(Buffer.from(value, 'hex').toString('latin1')));
}

function inOtherWriting(text: string): Found[] {
  if (written.size === 0) return [];
  const found: Found[] = [];
  const look = (run: string): void => {
    const what = written.get(run);
    if (what !== undefined) found.push({ what: `${what}, or what it consists of`, value: run });
  };
  for (const [run] of text.matchAll(anyRun)) look(run);
  for (let end = text.indexOf('=') + 1; end > 0; end = text.indexOf('=', end) + 1) {
    const piece = text.slice(Math.max(0, end - SIGNING), end);
    if (/[+/]/.test(piece)) look(piece); // without them it was such a run
  }
  return found;
}

function withoutForm(text: string): Found[] {
  return [...texts].flatMap(([value, what]) => (text.includes(value) ? [{ what, value }] : []));
}

function hex(text: string): string {
  return Buffer.from(text).toString('hex');
}
