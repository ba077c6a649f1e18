import type { AuditTextKey } from './en.js';

/** A note for the translator of each text: where it stands and what its values are. Not part of the build. */
export const notes: Record<AuditTextKey, string> = {
  title: 'Title of the audit log.',
  intro: 'Explains the audit log.',
  filters: 'Name of the form with the filters.',
  action: 'Label of a filter.',
  allActions: 'Choice of no filter.',
  allOfKind: 'Choice of all actions on one kind of thing.',
  actor: 'Label of the filter by member or API key.',
  allActors: 'Choice of no filter.',
  unknownActor: 'Choice for a member or key in a link, whose name is unknown.',
  actorsFailed: 'Shown if names could not be loaded. {reason} is a sentence.',
  members: 'Group of choices.',
  keys: 'Group of choices.',
  from: 'Label of the field with the first day.',
  to: 'Label of the field with the last day, which is included.',
  nothing: 'Stands in an empty log.',
  nothingFound: 'Stands in an empty log with filters.',
  clear: 'Button.',
  older: 'Button below the list.',
  retry: 'Button after an error.',
  system: 'Actor of an action that nobody did.',
  someKey: 'Actor whose name is unknown.',
  someMember: 'Actor whose name is unknown.',
  actionCode: 'Name of a fact: the code of the action.',
  target: 'Name of a fact: the id of what was changed.',
  address: 'Name of a fact: the IP address of the request.',
  browser: 'Name of a fact: the browser or program of the request.',
  request: 'Name of a fact: the id of the request.',
  details: 'Name of the recorded data.',
  kind_api_key: 'Heading of a group of actions.',
  kind_session: 'Heading of a group of actions.',
  kind_password: 'Heading of a group of actions.',
  kind_member: 'Heading of a group of actions.',
  kind_invite: 'Heading of a group of actions.',
  kind_sso_ticket: 'Heading of a group of actions.',
  kind_channel: 'Heading of a group of actions.',
  kind_bot: 'Heading of a group of actions.',
  kind_webhook: 'Heading of a group of actions.',
  kind_contact: 'Heading of a group of actions.',
  kind_transcript: 'Heading of a group of actions.',
  kind_report: 'Heading of a group of actions.',
  kind_tag: 'Heading of a group of actions.',
  kind_view: 'Heading of a group of actions.',
  kind_workspace: 'Heading of a group of actions.',
  'api_key.created':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'api_key.revoked':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'api_key.refused':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'session.started':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'session.ended': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'session.refused':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'password.changed':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'password.reset': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'password.reset_requested':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'member.created': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'member.updated': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'invite.created': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'invite.renewed': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'invite.revoked': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'invite.accepted':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'sso_ticket.issued':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'channel.created':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'channel.updated':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'channel.deleted':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'channel.tokens_refused':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'channel.secret_rotated':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'bot.created': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'bot.updated': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'bot.deleted': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'bot.secret_rotated':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'webhook.created':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'webhook.updated':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'webhook.deleted':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'webhook.secret_rotated':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'webhook.disabled':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'webhook.replayed':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'contact.merged': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'contact.deleted':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'contact.blocked':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'contact.unblocked':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'contact.erased': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'contact.exported':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'transcript.mailed':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'report.exported':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'tag.updated': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'view.created': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'view.updated': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'view.deleted': 'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'workspace.created':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
  'workspace.updated':
    'End of a sentence that begins with a name; the name of what was changed may follow after a colon.',
};
