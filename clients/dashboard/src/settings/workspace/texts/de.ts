import type { Entry } from '@support-chat/ui/translator.js';
import type { WorkspaceKey } from './en.js';

export const de: Record<WorkspaceKey, Entry> = {
  intro: 'Was Kunden von Ihrer Firma sehen, und wann jemand da ist.',
  general: 'Allgemein',
  companyName: 'Name des Arbeitsbereichs',
  companyNameHint: 'Steht in Einladungen, in E-Mails und oben im Dashboard.',
  locale: 'Sprache',
  localeHint: 'So stehen Datum und Uhrzeit in Mitschriften und E-Mails, wenn die Sprache des Kunden nicht bekannt ist.',
  localeInvalid: 'Wählen Sie eine Sprache.',
  timezone: 'Zeitzone',
  timezoneHint: 'Öffnungszeiten und die Tage der Berichte zählen in dieser Zeitzone.',
  timezoneInvalid: 'Wählen Sie eine Zeitzone.',
  hours: 'Öffnungszeiten',
  hoursHint:
    'Außerhalb dieser Zeiten lesen Kunden Ihre Abwesenheitsnachricht und wann Sie zurück sind. Ein Kanal kann eigene Zeiten haben.',
  workspaceSaved: 'Der Arbeitsbereich ist gespeichert.',
  hoursSaved: 'Die Öffnungszeiten sind gespeichert.',
};
