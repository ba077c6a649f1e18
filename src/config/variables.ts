import { isIP } from 'node:net';

/** An environment variable: its documentation and its parser. */
export interface Variable<T> {
  summary: string;
  /** The default, parsed when the variable is unset and shown in `docs/generated/env.md`. */
  fallback: string | null;
  /** Shown instead of the fallback when the default is computed at start. */
  fallbackText?: string;
  parse(text: string): Parsed<T>;
}

export type Parsed<T> = { value: T; fault?: undefined } | { fault: string };

export function text(): (raw: string) => Parsed<string> {
  return raw => ({ value: raw });
}

export function integer(min: number, max: number): (raw: string) => Parsed<number> {
  return raw => {
    const value = Number(raw);
    const inside = /^-?\d+$/.test(raw) && value >= min && value <= max;
    return inside ? { value } : { fault: `must be a whole number from ${min} to ${max}` };
  };
}

export function oneOf<const T extends string>(...choices: T[]): (raw: string) => Parsed<T> {
  return raw => {
    const value = choices.find(choice => choice === raw);
    return value === undefined ? { fault: `must be one of ${choices.join(', ')}` } : { value };
  };
}

export function onOff(): (raw: string) => Parsed<boolean> {
  return raw =>
    raw === 'on' || raw === 'off' || raw === 'true' || raw === 'false'
      ? { value: raw === 'on' || raw === 'true' }
      : { fault: 'must be on or off' };
}

/** An absolute URL with one of these schemes. A trailing slash is removed. */
export function url(...schemes: string[]): (raw: string) => Parsed<string> {
  return raw => {
    const parsed = URL.canParse(raw) ? new URL(raw) : null;
    return parsed && schemes.includes(parsed.protocol.slice(0, -1))
      ? { value: raw.replace(/\/$/, '') }
      : { fault: `must be a URL that starts with ${schemes.map(scheme => `${scheme}://`).join(' or ')}` };
  };
}

/** A secret sent in a header: visible ASCII, long enough to resist online guessing. */
export function token(): (raw: string) => Parsed<string> {
  return raw =>
    /^[!-~]{16,}$/.test(raw)
      ? { value: raw }
      : { fault: 'must be at least 16 characters, all of them visible ASCII without spaces' };
}

/** Secrets separated by commas, newest first; each long enough to resist offline guessing. */
export function secrets(): (raw: string) => Parsed<string[]> {
  return raw => {
    const list = raw.split(',').map(item => item.trim());
    return list.every(item => item.length >= 32)
      ? { value: list }
      : { fault: 'must be one or more secrets of at least 32 characters, separated by commas, the newest first' };
  };
}

/** The domain may be a local host name without a dot. */
const MAIL_ADDRESS = /^[^\s@<>()[\]\\,;:"]+@[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u;
/** A name, quoted if necessary, before an address in angle brackets. */
const NAMED_ADDRESS = /^(?:"[^"\\\p{Cc}]*" ?|[^"<>@()[\]\\,;:\p{Cc}]*)<([^<>]*)>$/u;

/** The sender of a mail: `support@example.com` or `Support <support@example.com>`. */
export function mailbox(): (raw: string) => Parsed<string> {
  return raw => {
    const address = NAMED_ADDRESS.exec(raw)?.[1] ?? raw;
    return MAIL_ADDRESS.test(address)
      ? { value: raw }
      : { fault: 'must be one e-mail address, such as support@example.com or Support <support@example.com>' };
  };
}

const NAMED_NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** The number of trusted proxies, or a list of addresses, networks and Express's network names. */
export function proxies(): (raw: string) => Parsed<number | string[] | false> {
  return raw => {
    if (/^\d{1,3}$/.test(raw)) return { value: Number(raw) || false };
    const list = raw.split(',').map(item => item.trim());
    return list.every(item => NAMED_NETWORKS.has(item) || isNetwork(item))
      ? { value: list }
      : { fault: 'must be a count of proxies, or addresses and networks such as 10.0.0.0/8, separated by commas' };
  };
}

/** Networks and single addresses, separated by commas. */
export function networks(): (raw: string) => Parsed<string[]> {
  return raw => {
    const list = raw.split(',').map(item => item.trim());
    return list.every(isNetwork)
      ? { value: list }
      : { fault: 'must be networks such as 10.0.0.0/8 or fd00::/8, separated by commas' };
  };
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return prefix === undefined || integer(1, family === 4 ? 32 : 128)(prefix).fault === undefined;
}
