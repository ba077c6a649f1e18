/** A rate limit: `points` in `seconds`. `by` documents what it is counted per. */
export interface RateLimit {
  points: number;
  seconds: number;
  by: string;
  /** True if points are reserved, and given back where they were not needed. */
  reserved?: boolean;
}

const MINUTE = 60;
const HOUR = 3600;

/** The published rates. `RATE_LIMITS` overrides single rates by name: `agent=6000/60,visitor_message=300/60`. */
export const RATE_LIMITS = {
  login: { points: 10, seconds: 15 * MINUTE, by: 'failures per e-mail and address' },
  login_email: { points: 100, seconds: HOUR, by: 'failures per e-mail' },
  login_address: { points: 300, seconds: 5 * MINUTE, by: 'failures per address' },
  login_success: { points: 60, seconds: MINUTE, by: 'correct passwords per e-mail' },
  register: { points: 20, seconds: HOUR, by: 'address' },
  register_user: { points: 60, seconds: MINUTE, by: 'failures per address' },
  invite_preview: { points: 60, seconds: MINUTE, by: 'failures per address' },
  invites: { points: 100, seconds: HOUR, by: 'workspace' },
  password_forgot: { points: 5, seconds: HOUR, by: 'e-mail' },
  password_forgot_address: { points: 60, seconds: MINUTE, by: 'address' },
  password_reset: { points: 60, seconds: MINUTE, by: 'failures per address' },
  refresh: { points: 60, seconds: MINUTE, by: 'session family' },
  sso_ticket: { points: 600, seconds: MINUTE, by: 'API key' },
  sso_exchange: { points: 300, seconds: MINUTE, by: 'failures per address' },
  widget_session: { points: 300, seconds: MINUTE, by: 'widget token and address' },
  widget_session_contact: { points: 60, seconds: MINUTE, by: 'contact' },
  widget_token_unknown: { points: 300, seconds: MINUTE, by: 'unknown widget tokens per address' },
  widget_config: { points: 300, seconds: MINUTE, by: 'address' },
  unsubscribe: { points: 60, seconds: MINUTE, by: 'unknown unsubscribe links per address' },
  credential_unknown: { points: 600, seconds: MINUTE, by: 'unknown credentials per address' },
  visitor: { points: 300, seconds: MINUTE, by: 'contact' },
  visitor_message: { points: 30, seconds: MINUTE, by: 'contact' },
  upload: { points: 60, seconds: MINUTE, by: 'contact, member or API key' },
  upload_bytes_address: { points: 1024 ** 3, seconds: HOUR, by: 'bytes of uploads per address', reserved: true },
  transcript_contact: { points: 3, seconds: HOUR, by: 'contact' },
  transcript_member: { points: 30, seconds: HOUR, by: 'member or API key' },
  transcript_address: { points: 3, seconds: HOUR, by: 'address mailed to' },
  transcript_address_day: { points: 10, seconds: 24 * HOUR, by: 'address mailed to' },
  transcript_workspace: { points: 200, seconds: HOUR, by: 'workspace' },
  reports: { points: 30, seconds: MINUTE, by: 'member or API key' },
  rating: { points: 10, seconds: HOUR, by: 'contact' },
  endpoint_test: { points: 10, seconds: MINUTE, by: 'workspace' },
  webhook_replay: { points: 6, seconds: HOUR, by: 'webhook' },
  search: { points: 60, seconds: MINUTE, by: 'member or API key' },
  frames: { points: 40, seconds: 2, by: 'socket' },
  frame_bytes: { points: 64 * 1024, seconds: 8, by: 'all sockets of a principal on an instance' },
  handshake: { points: 120, seconds: MINUTE, by: 'principal' },
  agent: { points: 600, seconds: MINUTE, by: 'member' },
  api_key: { points: 1200, seconds: MINUTE, by: 'API key' },
} as const satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof RATE_LIMITS;
export type RateLimits = Readonly<Record<RateLimitName, RateLimit>>;

/** @returns the effective rates, null when they are off, or a message that describes the fault */
export function parseRateLimits(text: string): RateLimits | null | string {
  if (text === 'off') return null;
  const limits: Record<string, RateLimit> = structuredClone(RATE_LIMITS);
  for (const override of text.split(',').filter(item => item.trim() !== '')) {
    const match = /^\s*([a-z_]+)=(\d{1,12})\/(\d{1,6})\s*$/.exec(override);
    const [, name = '', points = '0', seconds = '0'] = match ?? [];
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
    if (!limit || Number(points) === 0 || Number(seconds) === 0) {
      return `"${override.trim()}" is not name=points/seconds with a known name and numbers from 1`;
    }
    limit.points = Number(points);
    limit.seconds = Number(seconds);
  }
  return limits as RateLimits;
}
