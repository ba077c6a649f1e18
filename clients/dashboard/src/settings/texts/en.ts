import type { Entry } from '@support-chat/ui/translator.js';

export const en = {
  sections: 'Settings',
  back: 'All settings',
  groupYou: 'You',
  groupWorkspace: 'Company',
  groupReplies: 'Replies and views',
  groupDevelopers: 'Developers',
  profile: 'Profile',
  workspace: 'Workspace',
  members: 'Members and invites',
  apiKeys: 'API keys',
  cannedResponses: 'Canned responses',
  tags: 'Tags',
  views: 'Saved views',
  noScreenTitle: 'This setting does not exist',
  noScreen: 'The address may be incomplete, or your role does not include it.',
  toSettings: 'Go to the settings',
  readOnly: 'Only an owner or admin of all channels can change this.',
  owner: 'Owner',
  admin: 'Admin',
  agent: 'Agent',
  allChannels: 'All channels',
  noChannels: 'No channel',
  edit: 'Edit',
  delete: 'Delete',
  of: '{action}: {name}',
  roleTooLow: 'Your role does not allow this any more. Reload the page to see your present role.',
  gone: 'This does not exist any more. Somebody else has deleted it.',
} satisfies Record<string, Entry>;

export type SettingsKey = keyof typeof en;
