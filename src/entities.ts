import { MODULES } from './modules.js';
import { ErasedSubjectEntity, ErasureEntity } from './platform/erasure/erasure.entity.js';
import { IdempotencyKeyEntity } from './platform/idempotency/idempotency.entity.js';
import { OutgoingMailEntity } from './platform/mail/outgoing-mail.entity.js';

/** Every TypeORM entity. The event log and consumer positions have none, because TypeORM does not support `xid8`. */
export const ENTITIES = [
  ...MODULES.flatMap(module => ('entities' in module ? [...module.entities] : [])),
  IdempotencyKeyEntity,
  ErasureEntity,
  ErasedSubjectEntity,
  OutgoingMailEntity,
];
