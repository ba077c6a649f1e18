import { createHmac } from 'node:crypto';

type Segment = Record<string, unknown>;

/** Builds a JWT with any claims. Any `alg` but HS256 leaves the signature empty, as `none` requires. */
export function jwt(claims: Segment, secret: string, header: Segment = {}): string {
  const head = { alg: 'HS256', typ: 'JWT', ...header };
  const body = [head, claims].map(segment => Buffer.from(JSON.stringify(segment)).toString('base64url')).join('.');
  const signature = head.alg === 'HS256' ? createHmac('sha256', secret).update(body).digest('base64url') : '';
  return `${body}.${signature}`;
}

/** Decodes a token without verifying it. */
export function readJwt(token: string): { header: Segment; claims: Segment & { exp: number; iat: number } } {
  const [header, claims] = token.split('.').map(segment => Buffer.from(segment, 'base64url').toString('utf8'));
  return {
    header: JSON.parse(header ?? '') as Segment,
    claims: JSON.parse(claims ?? '') as Segment & { exp: number; iat: number },
  };
}
