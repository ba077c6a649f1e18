import type { BotView, CreateBotBody, UpdateBotBody } from '@support-chat/sdk';
import type { TextKey } from './texts/index.js';

/** Texts of the faults by field. */
export const BOT_FIELDS = {
  name: 'nameInvalid',
  webhook_url: 'addressInvalid',
  description: 'descriptionInvalid',
  avatar_url: 'avatarInvalid',
  history_count: 'historyInvalid',
  timeout_seconds: 'timeoutInvalid',
} as const satisfies Record<string, TextKey>;

export type BotField = keyof typeof BOT_FIELDS;
export type BotValues = Record<BotField, string>;

export const OPTIONAL: readonly BotField[] = ['webhook_url', 'description', 'avatar_url'];

/** Values of a form. A new bot has the defaults of the service. */
export function valuesOf(bot?: BotView): BotValues {
  return {
    name: bot?.name ?? '',
    webhook_url: bot?.webhook_url ?? '',
    description: bot?.description ?? '',
    avatar_url: bot?.avatar_url ?? '',
    history_count: String(bot?.history_count ?? 10),
    timeout_seconds: String(bot?.timeout_seconds ?? 120),
  };
}

/**
 * The fields that differ from the initial values; an emptied one is null. People do not see the query of the address, so
 * an unchanged address must not be sent back.
 */
export function changesOf(values: BotValues, initial: BotValues): UpdateBotBody {
  const entries = (Object.keys(values) as BotField[])
    .map(field => [field, values[field].trim()] as const)
    .filter(([field, value]) => value !== initial[field].trim())
    .map(([field, value]) => [field, isNumber(field) ? Number(value) : value || null] as const);
  return Object.fromEntries(entries) as UpdateBotBody;
}

/** The body of a new bot, without empty fields. */
export function bodyOf(values: BotValues): CreateBotBody {
  const filled = Object.entries(changesOf(values, valuesOf())).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(filled), name: values.name.trim() };
}

const isNumber = (field: BotField) => field === 'history_count' || field === 'timeout_seconds';
