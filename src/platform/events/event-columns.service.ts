import { Injectable } from '@nestjs/common';
import { EventRegistry } from '../../kernel/event-registry.js';
import type { ScrubbedWhen, ScrubPlan } from '../../kernel/scrub.js';
import { KeptWords, RemovedKeys, Replacement } from '../../kernel/scrub.js';
import { isBeingErased } from '../erasure/erasure.repository.js';

/**
 * The columns that make an event, besides the payload; TypeORM knows no `xid8`, so the log has no entity. The channel,
 * conversation and contact are its routing keys: the platform knows them as ids and nothing else of them.
 */
export const EVENT_METADATA = `id, type, workspace_id, channel_id, conversation_id, contact_id, actor,
  payload_version, request_id, recorded_at, xid::text AS xid, position::text AS position`;

/** SQL of the log's columns, with personal fields as the registry of events declares them. Its table is `event`. */
@Injectable()
export class EventColumnsService {
  /** The payload, scrubbed from the commit of an erasure on, whether the row has been rewritten yet or not. */
  readonly payload: string;
  /** Every column of an event. */
  readonly all: string;
  /** The payload without what erasing its person removes. */
  readonly erasedPayload: string;
  /** The payload without what unsending its message removes. */
  readonly unsentPayload: string;

  constructor(registry: EventRegistry) {
    this.erasedPayload = scrubbedPayload(registry, 'erased');
    this.unsentPayload = scrubbedPayload(registry, 'unsent');
    const subject = 'coalesce(event.conversation_id, event.contact_id)';
    this.payload = `CASE WHEN ${isBeingErased('event.workspace_id', subject)} THEN ${this.erasedPayload}
      ELSE event.payload END`;
    this.all = `${EVENT_METADATA}, ${this.payload} AS payload`;
  }
}

function scrubbedPayload(registry: EventRegistry, when: ScrubbedWhen): string {
  const branches = new Map<string, string[]>();
  for (const type of registry.types) {
    const { personal } = registry.get(type);
    const sql = personal === 'none' ? null : scrub('event.payload', personal as ScrubPlan, when);
    if (sql !== null) branches.set(sql, [...(branches.get(sql) ?? []), type]);
  }
  const cases = [...branches].map(
    ([sql, types]) => `WHEN event.type IN (${types.map(literal).join(', ')}) THEN ${sql}`,
  );
  return cases.length === 0 ? 'event.payload' : `CASE ${cases.join('\n    ')} ELSE event.payload END`;
}

/** @returns null where all of it stays */
function scrub(json: string, plan: ScrubPlan, when: ScrubbedWhen): string | null {
  if (plan === 'kept') return null;
  if (plan instanceof Replacement || plan instanceof KeptWords || plan instanceof RemovedKeys)
    return applies(plan.when, when) ? scrubbed(json, plan) : null;
  const pairs = Object.entries(plan).flatMap(([field, fieldPlan]) => {
    const value = scrub(`(${json} -> ${literal(field)})`, fieldPlan, when);
    return value === null ? [] : [`${literal(field)}, ${value}`];
  });
  if (pairs.length === 0) return null;
  return `CASE jsonb_typeof(${json}) WHEN 'object' THEN ${json} || jsonb_build_object(${pairs.join(', ')}) ELSE ${json} END`;
}

function scrubbed(json: string, plan: Replacement<unknown> | KeptWords | RemovedKeys): string {
  if (plan instanceof Replacement) return `${literal(JSON.stringify(plan.value))}::jsonb`;
  if (plan instanceof RemovedKeys) return `(${json} - ARRAY[${plan.keys.map(literal).join(', ')}]::text[])`;
  const pairs = Object.entries(plan.words).map(
    ([key, words]) =>
      `${literal(key)}, CASE WHEN ${json} ->> ${literal(key)} IN (${words.map(literal).join(', ')}) THEN ${json} -> ${literal(key)} END`,
  );
  return `jsonb_strip_nulls(jsonb_build_object(${pairs.join(', ')}))`;
}

/** Erasing a person removes what unsending a message removes, too. */
function applies(plan: ScrubbedWhen, when: ScrubbedWhen): boolean {
  return plan === 'unsent' || when === 'erased';
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
