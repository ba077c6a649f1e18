import type { ServerEventType } from '@support-chat/sdk';

/** Agents receive views over their sockets only; servers also learn of new contacts. */
export type OfferedType = Exclude<ServerEventType, `view.${string}`> | 'contact.created';
export type EventResource = OfferedType extends `${infer Resource}.${string}` ? Resource : never;

/** All types that webhooks can receive. The type makes one that the API adds a fault here. */
const ALL: Record<OfferedType, true> = {
  'conversation.created': true,
  'conversation.updated': true,
  'conversation.read': true,
  'message.created': true,
  'message.updated': true,
  'message.deleted': true,
  'contact.created': true,
  'contact.updated': true,
  'contact.merged': true,
  'contact.deleted': true,
  'member.created': true,
  'member.updated': true,
  'channel.created': true,
  'channel.updated': true,
  'channel.deleted': true,
  'bot.created': true,
  'bot.updated': true,
  'bot.deleted': true,
  'canned_response.created': true,
  'canned_response.updated': true,
  'canned_response.deleted': true,
  'tag.updated': true,
  'workspace.updated': true,
};

export const EVENT_TYPES = Object.keys(ALL) as OfferedType[];

/** The beginnings of the types, in their order. */
export const RESOURCES = [...new Set(EVENT_TYPES.map(resourceOf))];

export function typesOf(resource: EventResource): OfferedType[] {
  return EVENT_TYPES.filter(type => resourceOf(type) === resource);
}

function resourceOf(type: OfferedType): EventResource {
  return type.slice(0, type.indexOf('.')) as EventResource;
}
