import type { Entry } from '@support-chat/ui/translator.js';

export const en = {
  intro: 'What customers see of your company, and when somebody is there.',
  general: 'General',
  companyName: 'Workspace name',
  companyNameHint: 'Stands in invites, in e-mails and at the top of the dashboard.',
  locale: 'Language',
  localeHint:
    "Dates and times in transcripts and e-mails are written this way, unless the customer's language is known.",
  localeInvalid: 'Choose a language.',
  timezone: 'Time zone',
  timezoneHint: 'Opening hours and the days of reports count in this time zone.',
  timezoneInvalid: 'Choose a time zone.',
  hours: 'Opening hours',
  hoursHint:
    'Outside of these hours customers read your away message and when you are back. A channel can have hours of its own.',
  workspaceSaved: 'The workspace is saved.',
  hoursSaved: 'The opening hours are saved.',
} satisfies Record<string, Entry>;

export type WorkspaceKey = keyof typeof en;
