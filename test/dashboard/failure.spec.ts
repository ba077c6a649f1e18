import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@support-chat/sdk';
import { readFailure, type FailureTexts } from '../../clients/dashboard/src/forms/failure.js';

const TEXTS: FailureTexts<'email' | 'password'> = {
  fields: { email: 'emailInvalid', password: 'passwordInvalid' },
  codes: {
    invalid_credentials: { key: 'wrongCredentials' },
    known_account: { field: 'password', key: 'inviteWrongPassword' },
  },
};
const failureOf = (error: unknown) => readFailure(error, TEXTS, seconds => `${seconds} s`);
const invalid = (...fields: string[]) =>
  new ApiError({
    status: 400,
    code: 'validation_failed',
    message: 'The request is invalid.',
    details: fields.map(field => ({ field, code: 'format', message: `${field} is odd` })),
  });

describe('Errors of the service in a form', () => {
  it('Each invalid field has its text below it, and there is none above the form.', () => {
    expect(failureOf(invalid('email', 'password'))).toEqual({
      fields: { email: 'emailInvalid', password: 'passwordInvalid' },
    });
  });

  it('A field has the text of its own fault, if the form has one for the code.', () => {
    const exact = { ...TEXTS, faults: { too_common: 'passwordHint' } as const };
    const refused = (code: string) => {
      const details = [{ field: 'password', code, message: 'password is odd' }];
      return readFailure(
        new ApiError({ status: 400, code: 'validation_failed', message: 'No.', details }),
        exact,
        String,
      );
    };
    expect(refused('too_common')).toEqual({ fields: { password: 'passwordHint' } });
    expect(refused('format')).toEqual({ fields: { password: 'passwordInvalid' } });
  });

  it('An invalid field that the form does not have stands above it, beside the texts of its own fields.', () => {
    expect(failureOf(invalid('email', 'toString'))).toEqual({
      fields: { email: 'emailInvalid' },
      form: { key: 'refused', values: { message: 'toString is odd' } },
    });
  });

  it('A code that the form knows stands where the form puts it.', () => {
    const refused = (code: string) => failureOf(new ApiError({ status: 401, code, message: 'No.' }));
    expect(refused('invalid_credentials')).toEqual({ fields: {}, form: { key: 'wrongCredentials' } });
    expect(refused('known_account')).toEqual({ fields: { password: 'inviteWrongPassword' } });
  });

  it('A refused rate names the wait, if the service does.', () => {
    const limited = { status: 429, code: 'rate_limited', message: 'Too many.' };
    expect(failureOf(new ApiError({ ...limited, retryAfter: 90 })).form).toEqual({
      key: 'tooMany',
      values: { time: '90 s' },
    });
    expect(failureOf(new ApiError(limited)).form).toEqual({ key: 'tooManySoon' });
  });

  it.each([
    [0, 'network_error'],
    [0, 'timeout'],
    [503, 'unavailable'],
    [502, 'invalid_response'],
  ])('Without an answer of the service (%i %s) the form was not sent.', (status, code) => {
    expect(failureOf(new ApiError({ status, code, message: 'No answer.' })).form).toEqual({ key: 'notSent' });
  });

  it('Any other refusal shows the words of the service, and a fault of the page its own.', () => {
    expect(failureOf(new ApiError({ status: 409, code: 'last_owner', message: 'One owner.' })).form).toEqual({
      key: 'refused',
      values: { message: 'One owner.' },
    });
    expect(failureOf(new TypeError('x is undefined')).form).toEqual({ key: 'unexpected' });
  });
});
