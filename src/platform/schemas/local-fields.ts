import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateIf } from 'class-validator';
import {
  isBusinessHours,
  isTimezone,
  MAX_HOLIDAYS,
  MAX_SPANS,
  plainHours,
  WEEKDAYS,
} from '../../kernel/business-hours.js';
import { field, Rule } from '../schemas/field.js';
import { Text } from '../schemas/fields.js';

interface Optional {
  optional?: boolean;
}

const SPAN = {
  type: 'object',
  required: ['from', 'to'],
  properties: {
    from: { type: 'string', example: '09:00' },
    to: { type: 'string', example: '17:00', description: '`24:00` at most. Before `from`: on the next day.' },
  },
};
const SPANS = { type: 'array', maxItems: MAX_SPANS, items: SPAN };
const HOLIDAY = {
  type: 'object',
  required: ['date'],
  properties: {
    date: { type: 'string', format: 'date', example: '2026-12-25' },
    name: { type: 'string', maxLength: 200, example: 'Christmas Day' },
    hours: { ...SPANS, description: 'Open hours of this date. Without them it is closed.' },
  },
};

/** A schedule of opening hours by weekday, with holidays. Null, where allowed, means always open. */
export function Hours(options: Optional & { nullable?: boolean } = {}): PropertyDecorator {
  const { nullable = true } = options;
  return applyDecorators(
    ApiProperty({
      type: 'object',
      properties: {
        ...Object.fromEntries(WEEKDAYS.map(day => [day, SPANS])),
        holidays: { type: 'array', maxItems: MAX_HOLIDAYS, items: HOLIDAY },
      },
      nullable,
      required: !options.optional,
      description: `Open hours by weekday, local time. A span belongs to the day on which it begins, and may run past midnight. \`holidays\` replace the spans that begin on their dates${nullable ? '. Null is always open' : ''}.`,
      example: {
        mon: [{ from: '09:00', to: '17:00' }],
        fri: [{ from: '20:00', to: '02:00' }],
        holidays: [{ date: '2026-12-25', name: 'Christmas Day' }],
      },
    } as unknown as ApiPropertyOptions),
    Transform(({ value }: { value: unknown }) => (isBusinessHours(value) ? plainHours(value) : value)),
    ValidateIf((_object, value) => value !== undefined && !(nullable && value === null)),
    Rule('business_hours', isBusinessHours, 'must be spans of HH:MM by weekday, with distinct dates as holidays'),
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
export function Locale(options: Optional & { nullable?: boolean; description?: string } = {}): PropertyDecorator {
  return Text({ max: 35, ...options, pattern: /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/, example: 'en' });
}

/** The page that a browser shows. Accepts any value, because the handler drops what is no page. */
export function BrowserPage(): PropertyDecorator {
  const schema = {
    type: 'object',
    properties: { url: { type: 'string' }, title: { type: 'string' }, referrer: { type: 'string' } },
    additionalProperties: true,
    example: { url: 'https://shop.example/cart', title: 'Your cart', referrer: 'https://search.example/' },
  };
  const description =
    'The page that the browser shows. Anything but an http(s) URL of at most 2,048 characters is ignored.';
  return field(
    { optional: true, description },
    schema as unknown as ApiPropertyOptions,
    Rule('page', () => true, ''),
  );
}
