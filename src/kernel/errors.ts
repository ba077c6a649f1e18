import { defineError } from './domain-error.js';

/** Errors that any room may throw. A module's own stand in its `x.errors.ts`. */
export const ValidationFailed = defineError('invalid', 'validation_failed', 'Some fields are missing or invalid.');
export const MalformedJson = defineError('invalid', 'malformed_json', 'The body is not valid JSON.');
export const MalformedRequest = defineError('invalid', 'malformed_request', 'The request could not be read.');
export const CursorInvalid = defineError('invalid', 'cursor_invalid', 'The cursor is not one that this list gave.');
export const Unsupported = defineError('invalid', 'unsupported', 'This service does not support that yet.');
export const Unauthenticated = defineError('unauthenticated', 'unauthenticated', 'A credential is needed.');
export const InvalidToken = defineError('unauthenticated', 'invalid_token', 'The credential is not valid.');
export const TokenExpired = defineError('unauthenticated', 'token_expired', 'The credential has expired.');
export const TokenRevoked = defineError('unauthenticated', 'token_revoked', 'The credential has been revoked.');
export const ApiKeyRequired = defineError('unauthenticated', 'api_key_required', 'This route takes an API key.');
export const AgentTokenRequired = defineError(
  'unauthenticated',
  'agent_token_required',
  'This route takes an agent token.',
);
export const VisitorTokenRequired = defineError(
  'unauthenticated',
  'visitor_token_required',
  'This route takes a visitor token.',
);
export const Forbidden = defineError('forbidden', 'forbidden', 'The credential does not allow this.');
export const HttpsRequired = defineError('forbidden', 'https_required', 'Credentials travel over https only.');
export const ScopeTooNarrow = defineError(
  'forbidden',
  'scope_too_narrow',
  'A session that is limited to some channels may not do this.',
);
export const NotFound = defineError('not_found', 'not_found', 'There is no such thing here.');
export const Conflict = defineError('conflict', 'conflict', 'The change contradicts the present state.');
export const VersionConflict = defineError('conflict', 'version_conflict', 'The record has changed in the meantime.');
export const RequestTimeout = defineError(
  'timeout',
  'request_timeout',
  'The request did not arrive in time; the connection is closed.',
);
export const BodyTooLarge = defineError('too_large', 'body_too_large', 'The body is larger than allowed.');
export const UnsupportedMediaType = defineError(
  'unsupported_media_type',
  'unsupported_media_type',
  'Bodies are JSON: send Content-Type: application/json.',
);
export const RateLimited = defineError('rate_limited', 'rate_limited', 'Too many requests; wait, then try again.');
export const InternalError = defineError('internal', 'internal_error', 'Something went wrong on our side.');
export const Unavailable = defineError('unavailable', 'unavailable', 'The service cannot answer just now; try again.');
