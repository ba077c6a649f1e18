import type { AppendedEvent } from './event.repository.js';

const NUMBER = /^\d{1,19}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TYPE = /^[a-z_]{1,50}\.[a-z_]{1,50}$/;

/**
 * Checks that a message from another instance is an event of the log. The payload is not checked, because the sender
 * may run another version; events of unknown types are delivered to no socket.
 */
export function isCommittedEvent(body: unknown): body is AppendedEvent {
  if (!isObject(body)) return false;
  const { id, type, workspaceId, channelId, conversationId, contactId, actor, payload } = body;
  const { payloadVersion, requestId, recordedAt, xid, position, previous } = body;
  return (
    isUuid(id) &&
    typeof type === 'string' &&
    TYPE.test(type) &&
    isUuid(workspaceId) &&
    [channelId, conversationId, contactId].every(value => value === null || isUuid(value)) &&
    isObject(actor) &&
    typeof actor.type === 'string' &&
    isObject(payload) &&
    typeof payloadVersion === 'number' &&
    (requestId === null || typeof requestId === 'string') &&
    typeof recordedAt === 'string' &&
    isNumber(xid) &&
    isNumber(position) &&
    (previous === null || (isObject(previous) && isUuid(previous.id) && isNumber(previous.xid)))
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isUuid(value: unknown): boolean {
  return typeof value === 'string' && UUID.test(value);
}

function isNumber(value: unknown): boolean {
  return typeof value === 'string' && NUMBER.test(value);
}
