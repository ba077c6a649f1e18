import type { Entry } from '@support-chat/ui/translator.js';

export const en = {
  intro: 'How customers and colleagues see you, and how this browser behaves.',
  you: 'You',
  nameHint: 'Customers and colleagues see this name beside your messages.',
  avatar: 'Picture address',
  avatarHint: 'An address that begins with https:// and shows a picture. Without one, customers see your initials.',
  avatarInvalid: 'Enter an address that begins with https://, or leave it empty.',
  availability: 'Availability',
  availabilityHint:
    'While you are away or offline, no new conversation is assigned to you, and customers see you as away.',
  online: 'Online',
  away: 'Away',
  offline: 'Offline',
  availabilitySaved: 'Your availability is {state}.',
  notifications: 'Notifications',
  notificationsHint: 'E-mails go to {email}, if you have not seen the news in the dashboard before.',
  assigned: 'A conversation is assigned to you',
  mentioned: 'Somebody mentions you in a note',
  replied: 'A customer replies to you',
  inApp: 'In the dashboard',
  byEmail: 'By e-mail',
  notificationsSaved: 'Your notifications are changed.',
  passwordTitle: 'Password',
  passwordIntro: 'Afterwards you are signed out everywhere else. Here you stay signed in.',
  oldPassword: 'Present password',
  oldPasswordWrong: 'This is not your present password.',
  changePassword: 'Change password',
  passwordChangedNow: 'Your password is changed. Other sessions have ended.',
  browser: 'This browser',
  browserHint: 'These apply in this browser alone, in all its tabs.',
  theme: 'Appearance',
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
  singleKeys: 'Single-key shortcuts',
  singleKeysHint:
    'Keys such as “e” to resolve act at once, except while you type. Turn them off if you use speech input.',
  browserNotices: 'Notifications of the browser',
  browserNoticesHint:
    'They name the customer, and contain no text of a message. None appears for a conversation that is on your screen.',
  browserNoticesDenied: 'Your browser blocks them. Allow notifications for this page in its settings, then reload.',
  sound: 'Sound',
  soundHint: 'A short sound for each new notification.',
} satisfies Record<string, Entry>;

export type ProfileKey = keyof typeof en;
