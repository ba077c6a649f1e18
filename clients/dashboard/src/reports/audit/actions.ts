import { t, type AuditTextKey } from './texts/index.js';

/** The actions that the audit log records, by what they change. */
export const ACTIONS = {
  api_key: ['created', 'revoked', 'refused'],
  session: ['started', 'ended', 'refused'],
  password: ['changed', 'reset', 'reset_requested'],
  member: ['created', 'updated'],
  invite: ['created', 'renewed', 'revoked', 'accepted'],
  sso_ticket: ['issued'],
  channel: ['created', 'updated', 'deleted', 'tokens_refused', 'secret_rotated'],
  bot: ['created', 'updated', 'deleted', 'secret_rotated'],
  webhook: ['created', 'updated', 'deleted', 'secret_rotated', 'disabled', 'replayed'],
  contact: ['merged', 'deleted', 'blocked', 'unblocked', 'erased', 'exported'],
  transcript: ['mailed'],
  report: ['exported'],
  tag: ['updated'],
  view: ['created', 'updated', 'deleted'],
  workspace: ['created', 'updated'],
} as const;

export type AuditKind = keyof typeof ACTIONS;
type Action = { [Kind in AuditKind]: `${Kind}.${(typeof ACTIONS)[Kind][number]}` }[AuditKind];

const KNOWN = new Set<string>(
  Object.entries(ACTIONS).flatMap(([kind, actions]) => actions.map(action => `${kind}.${action}`)),
);

/** @returns the action as the end of a sentence; the code of an action of a newer service */
export function actionText(action: string): string {
  return KNOWN.has(action) ? t(action as Action) : action;
}

export function kindText(kind: AuditKind): string {
  return t(`kind_${kind}` satisfies AuditTextKey);
}
