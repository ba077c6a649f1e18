import type { HeaderSet } from './platform/http/security-headers.js';

const NOBODY = ["'none'"];
const ANYBODY = ['*'];

/**
 * Security headers by kind of path; the first match applies. A customer's page must be able to load the widget and a
 * picture, and frame the chat page. Nobody may frame the dashboard, and no file may run a script.
 */
export const HEADER_SETS: readonly HeaderSet[] = [
  {
    kind: 'files',
    paths: /^\/files(?:\/|$)/i,
    helmet: {
      contentSecurityPolicy: { useDefaults: false, directives: { sandbox: [], 'default-src': NOBODY } },
      crossOriginResourcePolicy: { policy: 'cross-origin' },
      referrerPolicy: { policy: 'no-referrer' },
    },
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Disposition, Content-Range, ETag, X-Request-Id',
    },
  },
  {
    kind: 'widget',
    paths: /^\/(?:widget\.js$|widget\/|chat$)/i,
    helmet: {
      contentSecurityPolicy: { directives: { 'frame-ancestors': ANYBODY, 'img-src': ["'self'", 'data:', 'https:'] } },
      crossOriginResourcePolicy: { policy: 'cross-origin' },
      crossOriginOpenerPolicy: false,
      frameguard: false,
    },
    // sites measure what they load
    headers: { 'Access-Control-Allow-Origin': '*', 'Timing-Allow-Origin': '*' },
  },
  {
    kind: 'dashboard',
    paths: /^\/dashboard(?:\/|$)/i,
    helmet: {
      contentSecurityPolicy: { directives: { 'frame-ancestors': NOBODY, 'img-src': ["'self'", 'data:', 'https:'] } },
      frameguard: { action: 'deny' },
    },
    headers: {},
  },
  { kind: 'api', paths: /^/, helmet: {}, headers: {} },
];
