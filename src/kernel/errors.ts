import { defineError } from './domain-error.js';

/** Errors that any module may throw. Errors of a single module are in its `x.errors.ts`. */
export const ValidationFailed = defineError('invalid', 'validation_failed', 'Some fields are missing or invalid.');
export const MalformedJson = defineError('invalid', 'malformed_json', 'The body is not valid JSON.');
export const MalformedRequest = defineError('invalid', 'malformed_request', 'The request could not be read.');
export const CursorInvalid = defineError('invalid', 'cursor_invalid', 'The cursor is not valid for this list.');
export const Unsupported = defineError('invalid', 'unsupported', 'This service does not support that yet.');
export const Unauthenticated = defineError('unauthenticated', 'unauthenticated', 'Send a credential.');
export const InvalidToken = defineError('unauthenticated', 'invalid_token', 'The credential is not valid.');
export const TokenExpired = defineError(
  'unauthenticated',
  'token_expired',
  'The credential has expired.',
  'tokenExpired',
);
export const TokenRevoked = defineError('unauthenticated', 'token_revoked', 'The credential has been revoked.');
export const ApiKeyRequired = defineError('unauthenticated', 'api_key_required', 'This route requires an API key.');
export const AgentTokenRequired = defineError(
  'unauthenticated',
  'agent_token_required',
  'This route requires an agent token.',
);
export const VisitorTokenRequired = defineError(
  'unauthenticated',
  'visitor_token_required',
  'This route requires a visitor token.',
);
export const Forbidden = defineError('forbidden', 'forbidden', 'The credential does not allow this.');
export const HttpsRequired = defineError(
  'forbidden',
  'https_required',
  'Use https: credentials are not accepted over http.',
);
export const ScopeTooNarrow = defineError(
  'forbidden',
  'scope_too_narrow',
  'A session that is limited to some channels cannot do this.',
);
export const NotFound = defineError('not_found', 'not_found', 'The resource does not exist or is not visible to you.');
export const VersionConflict = defineError(
  'conflict',
  'version_conflict',
  'The record has changed since you read it; read it again, then retry.',
);
export const LimitReached = defineError(
  'conflict',
  'limit_reached',
  'The workspace or the member has as many of these as it may have. Delete one first.',
);
export const RequestTimeout = defineError(
  'timeout',
  'request_timeout',
  'The request did not arrive in time; the connection was closed.',
);
export const BodyTooLarge = defineError('too_large', 'body_too_large', 'The body is larger than allowed.');
export const UnsupportedMediaType = defineError(
  'unsupported_media_type',
  'unsupported_media_type',
  'The body must be JSON; send Content-Type: application/json.',
);
export const RateLimited = defineError('rate_limited', 'rate_limited', 'Too many requests; wait, then try again.');
export const InternalError = defineError('internal', 'internal_error', 'Something went wrong on our side.');
export const Unavailable = defineError(
  'unavailable',
  'unavailable',
  'The service is temporarily unavailable; try again.',
);
