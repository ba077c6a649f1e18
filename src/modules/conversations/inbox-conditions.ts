import { containsText } from '../contacts/index.js';
import { mentionFacet, participantFacet, priorityFacet, scoreFacet, SCORES, tagFacet, UNREAD } from './facets.js';
import type { InboxFilters } from './inbox.js';

/** SQL on the table `conversation`, with the values of its parameters. */
export interface Condition {
  sql: string;
  values?: Record<string, unknown>;
  /** The conversation must also have one of these facets. */
  facets?: readonly string[];
}

const UNRESOLVED = `conversation.status IN ('open', 'pending', 'snoozed')`;
const NEVER: Condition = { sql: 'false' };

/** The conditions of the filters, all of which must hold. */
export function conditionsOf(filters: InboxFilters): Condition[] {
  return [
    oneOf('status', filters.statuses),
    channelOf(filters),
    assigneeOf(filters),
    filters.contactId === undefined ? null : equal('contact_id', filters.contactId),
    filters.tagIds === undefined ? null : hasFacet(filters.tagIds.map(tagFacet)),
    priorityOf(filters),
    scoreOf(filters),
    unreadOf(filters),
    waitingOf(filters),
    filters.updatedSince === undefined
      ? null
      : { sql: 'conversation.updated_at >= :updatedSince', values: { updatedSince: filters.updatedSince } },
    filters.participantId === undefined ? null : hasFacet([participantFacet(filters.participantId)]),
    filters.mentionedId === undefined ? null : hasFacet([mentionFacet(filters.mentionedId)]),
    filters.query === undefined ? null : searchFor(filters.query),
  ].filter(condition => condition !== null);
}

function equal(column: string, value: unknown): Condition {
  return { sql: `conversation.${column} = :${column}`, values: { [column]: value } };
}

/** A single value as such, because PostgreSQL then reads an index in its order. */
function oneOf(column: string, values: readonly string[] | undefined): Condition | null {
  if (values === undefined) return null;
  if (values.length === 0) return NEVER;
  if (values.length === 1) return equal(column, values[0]);
  return { sql: `conversation.${column} = ANY(:${column})`, values: { [column]: [...values] } };
}

/**
 * Unresolved conversations are few, so PostgreSQL may look them up by channel and status. For that it must be told that
 * every conversation belongs to a channel of its workspace.
 */
function channelOf({ channelIds, statuses }: InboxFilters): Condition | null {
  if (channelIds !== undefined) return oneOf('channel_id', channelIds);
  if (statuses === undefined || statuses.includes('resolved')) return null;
  return {
    sql: 'conversation.channel_id = ANY(ARRAY(SELECT channel.id FROM channel WHERE channel.workspace_id = :workspaceId))',
  };
}

function assigneeOf({ assigneeIds }: InboxFilters): Condition | null {
  if (!assigneeIds?.includes(null)) return oneOf('assignee_id', assigneeIds as readonly string[] | undefined);
  const ids = assigneeIds.filter(id => id !== null);
  if (ids.length === 0) return { sql: 'conversation.assignee_id IS NULL' };
  return {
    sql: '(conversation.assignee_id IS NULL OR conversation.assignee_id = ANY(:assignee_id))',
    values: { assignee_id: ids },
  };
}

/** Most conversations have no priority, so that one has no facet. */
function priorityOf({ priorities }: InboxFilters): Condition | null {
  if (priorities === undefined || priorities.includes('none')) return oneOf('priority', priorities);
  return hasFacet(priorities.map(priorityFacet));
}

function scoreOf({ csat }: InboxFilters): Condition | null {
  if (csat === undefined) return null;
  if (csat === 'none') return { sql: 'conversation.csat IS NULL' };
  return hasFacet(csat === 'any' ? SCORES.map(scoreFacet) : [scoreFacet(csat)]);
}

/** The facet may be two seconds old, so the row decides. */
function unreadOf({ unread }: InboxFilters): Condition | null {
  if (unread === undefined) return null;
  if (!unread) return { sql: 'conversation.unread_agents = 0' };
  return { sql: 'conversation.unread_agents > 0', facets: [UNREAD] };
}

function waitingOf({ waitingSince, sort }: InboxFilters): Condition | null {
  if (waitingSince !== undefined) {
    return { sql: `conversation.waiting_since <= :waitingSince AND ${UNRESOLVED}`, values: { waitingSince } };
  }
  return sort === 'waiting' ? { sql: `conversation.waiting_since IS NOT NULL AND ${UNRESOLVED}` } : null;
}

function hasFacet(facets: readonly string[]): Condition {
  return facets.length === 0 ? NEVER : { sql: 'true', facets };
}

/** Searches the contact's name and e-mail, and the conversation's number with or without `#`. */
function searchFor(text: string): Condition {
  const number = /^#?(\d{1,9})$/.exec(text.trim())?.[1];
  const { condition: matches, parameters } = containsText(['name'], text);
  if (number === undefined) {
    const sql = `EXISTS (
      SELECT 1 FROM contact WHERE contact.workspace_id = conversation.workspace_id
        AND contact.id = conversation.contact_id AND ${matches})`;
    return { sql, values: parameters };
  }
  // UNION ALL, so that each part uses its index: with one OR condition PostgreSQL scans every conversation
  return {
    sql: `conversation.id IN (
      SELECT numbered.id FROM conversation AS numbered
      WHERE numbered.workspace_id = :workspaceId AND numbered.number = :number
      UNION ALL
      SELECT theirs.id FROM contact
        JOIN conversation AS theirs ON theirs.workspace_id = contact.workspace_id AND theirs.contact_id = contact.id
      WHERE contact.workspace_id = :workspaceId AND ${matches})`,
    values: { ...parameters, number: Number(number) },
  };
}
