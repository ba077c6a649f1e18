import type { WorkspaceKey } from './en.js';

export const notes: Record<WorkspaceKey, string> = {
  intro: 'Below the heading "Workspace".',
  general: 'Heading.',
  companyName: 'Label of a field: the name of the company.',
  companyNameHint: 'Below that field.',
  locale: 'Label of a choice.',
  localeHint: 'Below that choice.',
  localeInvalid: 'Below that choice, after a refusal.',
  timezone: 'Label of a choice.',
  timezoneHint: 'Below that choice.',
  timezoneInvalid: 'Below that choice, after a refusal.',
  hours: 'Heading.',
  hoursHint: 'Below that heading.',
  workspaceSaved: 'Short message.',
  hoursSaved: 'Short message.',
};
