import helmet from 'helmet';
import type { HelmetOptions } from 'helmet';
import type { Request, RequestHandler } from 'express';
import { fixedHeaders } from './fixed-headers.js';

type ContentSecurityPolicy = Exclude<NonNullable<HelmetOptions['contentSecurityPolicy']>, boolean>;

/** The headers in which the kinds of path differ. */
type HelmetSettings = Pick<
  HelmetOptions,
  'contentSecurityPolicy' | 'crossOriginResourcePolicy' | 'crossOriginOpenerPolicy' | 'frameguard' | 'referrerPolicy'
>;

/** Security headers of one kind of path. */
export interface HeaderSet {
  kind: string;
  /** Matches the paths of this kind. */
  paths: RegExp;
  helmet: HelmetSettings;
  /** Sent besides helmet's headers. */
  headers: Readonly<Record<string, string>>;
}

/**
 * Sets the security headers of the first set that matches the path. `Strict-Transport-Security` is sent only where the
 * service requires HTTPS.
 */
export function securityHeaders(sets: readonly HeaderSet[], https: boolean): RequestHandler {
  const handlers = sets.map(set => ({ ...set, handler: fixedHeaders(helmet(optionsOf(set, https))) }));
  return (request: Request, response, next) => {
    const set = handlers.find(({ paths }) => paths.test(request.path));
    if (!set) return next(new Error(`no headers for ${request.path}`));
    for (const [name, value] of Object.entries(set.headers)) response.setHeader(name, value);
    return set.handler(request, response, next);
  };
}

function optionsOf({ helmet: options }: HeaderSet, https: boolean): HelmetOptions {
  const { contentSecurityPolicy, ...others } = options;
  const policy = typeof contentSecurityPolicy === 'object' ? contentSecurityPolicy : {};
  return {
    ...others,
    strictTransportSecurity: https,
    contentSecurityPolicy: policy.useDefaults === false ? policy : withUpgrade(policy, https),
  };
}

/** Browsers load everything by HTTPS where the service requires it. */
function withUpgrade(policy: ContentSecurityPolicy, https: boolean): ContentSecurityPolicy {
  return { ...policy, directives: { 'upgrade-insecure-requests': https ? [] : null, ...policy.directives } };
}
