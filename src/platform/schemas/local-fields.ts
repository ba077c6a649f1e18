import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateIf } from 'class-validator';
import { isBusinessHours, isTimezone, plainHours } from '../../kernel/business-hours.js';
import { Rule } from '../schemas/field.js';
import { Text } from '../schemas/fields.js';

interface Optional {
  optional?: boolean;
}

/** A weekly schedule of opening hours. Null, where allowed, means always open. */
export function Hours(options: Optional & { nullable?: boolean } = {}): PropertyDecorator {
  const { nullable = true } = options;
  const span = {
    type: 'object',
    required: ['from', 'to'],
    properties: { from: { type: 'string' }, to: { type: 'string' } },
  };
  return applyDecorators(
    ApiProperty({
      type: 'object',
      additionalProperties: { type: 'array', items: span },
      nullable,
      required: !options.optional,
      description: `Open hours by weekday (\`mon\` … \`sun\`), local time${nullable ? '; null is always open' : ''}.`,
      example: { mon: [{ from: '09:00', to: '17:00' }] },
    } as unknown as ApiPropertyOptions),
    Transform(({ value }: { value: unknown }) => (isBusinessHours(value) ? plainHours(value) : value)),
    ValidateIf((_object, value) => value !== undefined && !(nullable && value === null)),
    Rule('business_hours', isBusinessHours, 'must be spans of HH:MM by weekday'),
  );
}

/** An IANA time zone. */
export function Timezone(options: Optional & { nullable?: boolean } = {}): PropertyDecorator {
  return applyDecorators(
    Text({ max: 64, ...options, example: 'Europe/Berlin' }),
    Rule('timezone', value => typeof value === 'string' && isTimezone(value), 'must be an IANA time zone'),
  );
}

/** A language tag such as `de` or `pt-BR`. */
export function Locale(options: Optional & { nullable?: boolean } = {}): PropertyDecorator {
  return Text({ max: 35, ...options, pattern: /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/, example: 'en' });
}
