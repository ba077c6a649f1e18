import type { Entry } from '@support-chat/ui/translator.js';
import type { ProfileKey } from './en.js';

export const de: Record<ProfileKey, Entry> = {
  intro: 'Wie Kunden und Kollegen Sie sehen, und wie sich dieser Browser verhält.',
  you: 'Sie',
  nameHint: 'Kunden und Kollegen sehen diesen Namen neben Ihren Nachrichten.',
  avatar: 'Adresse des Bildes',
  avatarHint: 'Eine Adresse, die mit https:// beginnt und ein Bild zeigt. Ohne sehen Kunden Ihre Initialen.',
  avatarInvalid: 'Geben Sie eine Adresse an, die mit https:// beginnt, oder lassen Sie das Feld leer.',
  availability: 'Verfügbarkeit',
  availabilityHint:
    'Solange Sie abwesend oder offline sind, wird Ihnen keine neue Unterhaltung zugewiesen, und Kunden sehen Sie als abwesend.',
  online: 'Online',
  away: 'Abwesend',
  offline: 'Offline',
  availabilitySaved: 'Ihre Verfügbarkeit: {state}.',
  notifications: 'Benachrichtigungen',
  notificationsHint: 'E-Mails gehen an {email}, wenn Sie die Neuigkeit nicht vorher im Dashboard gesehen haben.',
  assigned: 'Eine Unterhaltung wird Ihnen zugewiesen',
  mentioned: 'Jemand erwähnt Sie in einer Notiz',
  replied: 'Ein Kunde antwortet Ihnen',
  inApp: 'Im Dashboard',
  byEmail: 'Per E-Mail',
  notificationsSaved: 'Ihre Benachrichtigungen sind geändert.',
  passwordTitle: 'Passwort',
  passwordIntro: 'Danach sind Sie überall sonst abgemeldet. Hier bleiben Sie angemeldet.',
  oldPassword: 'Jetziges Passwort',
  oldPasswordWrong: 'Das ist nicht Ihr jetziges Passwort.',
  changePassword: 'Passwort ändern',
  passwordChangedNow: 'Ihr Passwort ist geändert. Andere Sitzungen sind beendet.',
  browser: 'Dieser Browser',
  browserHint: 'Diese gelten nur in diesem Browser, in allen seinen Tabs.',
  theme: 'Darstellung',
  system: 'Wie das System',
  light: 'Hell',
  dark: 'Dunkel',
  singleKeys: 'Tastenkürzel mit einer Taste',
  singleKeysHint:
    'Tasten wie „e“ zum Lösen wirken sofort, außer während Sie schreiben. Schalten Sie sie aus, wenn Sie per Sprache eingeben.',
  browserNotices: 'Benachrichtigungen des Browsers',
  browserNoticesHint:
    'Sie nennen den Kunden und zitieren niemanden. Zu einer Unterhaltung, die Sie gerade sehen, erscheint keine.',
  browserNoticesDenied:
    'Ihr Browser blockiert sie. Erlauben Sie in seinen Einstellungen Benachrichtigungen für diese Seite, und laden Sie neu.',
  sound: 'Ton',
  soundHint: 'Ein kurzer Ton bei jeder neuen Benachrichtigung.',
};
