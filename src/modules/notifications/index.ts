export type { NotificationRecord } from './notification.js';
export type { NotificationNotice } from './notification-notice.js';
export { isNotificationNotice, NOTIFICATIONS_SUBJECT } from './notification-notice.js';
export { NotificationsModule } from './notifications.module.js';
