import { createHmac } from 'node:crypto';

type Part = Record<string, unknown>;

/** A JWT as anybody could write it. `alg` other than HS256 leaves the signature empty, as `none` asks for. */
export function jwt(claims: Part, secret: string, header: Part = {}): string {
  const head = { alg: 'HS256', typ: 'JWT', ...header };
  const body = [head, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = head.alg === 'HS256' ? createHmac('sha256', secret).update(body).digest('base64url') : '';
  return `${body}.${signature}`;
}

/** What stands in a token, unverified. */
export function readJwt(token: string): { header: Part; claims: Part & { exp: number; iat: number } } {
  const [header, claims] = token.split('.').map(part => Buffer.from(part, 'base64url').toString('utf8'));
  return {
    header: JSON.parse(header ?? '') as Part,
    claims: JSON.parse(claims ?? '') as Part & { exp: number; iat: number },
  };
}
