export const NOTIFICATION_TYPES = ['assigned', 'mentioned', 'replied'] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

/** Where a member is told of a notification: in the dashboard, and by mail if it stays unread. */
export interface NotificationChannels {
  app: boolean;
  email: boolean;
}

export type NotificationSettings = Record<NotificationType, NotificationChannels>;

/** Changes of the settings, merged key by key. */
export type NotificationSettingsChanges = {
  [T in NotificationType]?: { [C in keyof NotificationChannels]?: boolean | undefined } | undefined;
};

export const DEFAULT_NOTIFICATION_SETTINGS: NotificationSettings = {
  assigned: { app: true, email: true },
  mentioned: { app: true, email: true },
  replied: { app: true, email: false },
};

export function mergeNotificationSettings(
  settings: NotificationSettings,
  changes: NotificationSettingsChanges,
): NotificationSettings {
  const merged = NOTIFICATION_TYPES.map(type => {
    const { app = settings[type].app, email = settings[type].email } = changes[type] ?? {};
    return [type, { app, email }] as const;
  });
  return Object.fromEntries(merged) as NotificationSettings;
}
