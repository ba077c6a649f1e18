import type { FieldFault } from '../../kernel/domain-error.js';
import { normaliseEmail } from '../../kernel/email.js';
import { ValidationFailed } from '../../kernel/errors.js';
import { codePoints, isStorable } from '../../platform/schemas/field-rules.js';

export const PRE_CHAT_FIELD_TYPES = ['text', 'email', 'phone', 'textarea', 'select', 'checkbox'] as const;
export type PreChatFieldType = (typeof PRE_CHAT_FIELD_TYPES)[number];

export interface PreChatField {
  key: string;
  label: string;
  type: PreChatFieldType;
  required: boolean;
  /** The choices of a `select`. */
  options?: string[] | undefined;
}

/** The questions that a visitor answers before its first message. */
export interface PreChatForm {
  enabled: boolean;
  fields: PreChatField[];
}

/** Details of a contact that a form can ask for. */
export interface AskedDetails {
  name: string | null;
  email: string | null;
  phone: string | null;
}

export type PreChatRecord = Record<string, string | boolean>;

export interface PreChatAnswers {
  /** Given answers that belong to the contact. */
  details: Partial<Record<keyof AskedDetails, string>>;
  /** All other given answers; null if there are none. */
  record: PreChatRecord | null;
  faults: FieldFault[];
}

const MAX_CHARS = 2_000;
/** The contact's own limits apply to these keys, whatever type the form gives them. */
const DETAILS: Record<keyof AskedDetails, { type: PreChatFieldType; max: number }> = {
  name: { type: 'text', max: 200 },
  email: { type: 'email', max: 254 },
  phone: { type: 'phone', max: 50 },
};

/** @throws ValidationFailed for a `select` without options */
export function assertSelectable(fields: readonly PreChatField[]): void {
  const details = fields.flatMap(({ type, options = [] }, index) => {
    const field = `widget_config.pre_chat_form.fields[${index}].options`;
    return type === 'select' && options.length === 0
      ? [{ field, code: 'required', message: 'a select needs options' }]
      : [];
  });
  if (details.length > 0) throw new ValidationFailed({ details });
}

/**
 * Reads the answers to the questions of the form, and ignores all others.
 * @param known details that the contact has already, which then need no answer
 */
export function readPreChatAnswers(
  { fields }: PreChatForm,
  given: Readonly<Record<string, unknown>>,
  known: AskedDetails,
): PreChatAnswers {
  const details: PreChatAnswers['details'] = {};
  const record: [string, string | boolean][] = [];
  const faults: FieldFault[] = [];
  for (const field of fields) {
    const { key, required } = field;
    const detail = isDetail(key) ? key : null;
    const answer = readAnswer(field, Object.hasOwn(given, key) ? given[key] : undefined);
    if ('fault' in answer) faults.push({ field: `pre_chat.${key}`, ...answer.fault });
    else if (answer.value === undefined) {
      const missing = required && !(detail && known[detail] !== null);
      if (missing) faults.push({ field: `pre_chat.${key}`, code: 'required', message: `${key} is required` });
    } else if (detail) details[detail] = String(answer.value);
    else record.push([key, answer.value]);
  }
  return { details, record: record.length > 0 ? Object.fromEntries(record) : null, faults };
}

function isDetail(key: string): key is keyof AskedDetails {
  return Object.hasOwn(DETAILS, key);
}

/** `value` is undefined for a question without an answer. */
type Answer = { value: string | boolean | undefined } | { fault: Pick<FieldFault, 'code' | 'message'> };

function readAnswer(field: PreChatField, given: unknown): Answer {
  const { key, required, options = [] } = field;
  const { type, max } = isDetail(key) ? DETAILS[key] : { type: field.type, max: MAX_CHARS };
  if (given === undefined || given === null) return { value: undefined };
  if (type === 'checkbox') {
    if (typeof given !== 'boolean') return fault('type', `${key} must be a boolean`);
    return { value: required && !given ? undefined : given };
  }
  if (typeof given !== 'string') return fault('type', `${key} must be a string`);
  const text = given.trim();
  if (text === '') return { value: undefined };
  if (codePoints(text) > max) return fault('too_long', `${key} must have at most ${max} characters`);
  if (!isStorable(text)) return fault('format', `${key} must not contain broken characters`);
  if (type === 'select' && !options.includes(given)) return fault('not_allowed', `${key} must be one of the options`);
  if (type !== 'email') return { value: type === 'select' ? given : text };
  const email = normaliseEmail(text);
  return email === null ? fault('format', `${key} must be an e-mail address`) : { value: email };
}

function fault(code: string, message: string): Answer {
  return { fault: { code, message } };
}
