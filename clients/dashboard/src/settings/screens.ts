import type { AreaLoader } from '../lazy-area.js';
import type { Access } from './access.js';
import type { TextKey } from './texts/index.js';

/** A screen of the settings, at `/settings/<path>`. */
export interface SettingsScreen {
  readonly path: string;
  readonly name: TextKey;
  readonly group: TextKey;
  /** Hidden screens have no link, and their address leads nowhere. Default: all members. */
  readonly isVisible?: (access: Access) => boolean;
  /** The screen has addresses below its own, such as `/settings/channels/7`. */
  readonly isDeep?: boolean;
  readonly load: AreaLoader;
}

/** In the order of the navigation. Screens of a group follow each other. */
export const SCREENS: readonly SettingsScreen[] = [
  { path: 'profile', name: 'profile', group: 'groupYou', load: () => import('./profile/profile.js') },
  { path: 'workspace', name: 'workspace', group: 'groupWorkspace', load: () => import('./workspace/workspace.js') },
  { path: 'members', name: 'members', group: 'groupWorkspace', load: () => import('./members/members.js') },
  {
    path: 'channels',
    name: 'channels',
    group: 'groupWorkspace',
    isDeep: true,
    load: () => import('./channels/channels.js'),
  },
  { path: 'bots', name: 'bots', group: 'groupWorkspace', isDeep: true, load: () => import('./bots/bots.js') },
  {
    path: 'canned-responses',
    name: 'cannedResponses',
    group: 'groupReplies',
    load: () => import('./library/canned-responses.js'),
  },
  { path: 'tags', name: 'tags', group: 'groupReplies', load: () => import('./library/tags.js') },
  { path: 'views', name: 'views', group: 'groupReplies', load: () => import('./library/views.js') },
  {
    path: 'api-keys',
    name: 'apiKeys',
    group: 'groupDevelopers',
    isVisible: ({ isAdmin }) => isAdmin,
    load: () => import('./api-keys/api-keys.js'),
  },
  {
    path: 'webhooks',
    name: 'webhooks',
    group: 'groupDevelopers',
    isVisible: ({ isAdmin }) => isAdmin,
    isDeep: true,
    load: () => import('./webhooks/webhooks.js'),
  },
];

/** @param path of the address, without the dashboard's base */
export function findScreen(screens: readonly SettingsScreen[], path: string): SettingsScreen | undefined {
  const [, area, name, ...rest] = path.replace(/\/$/, '').split('/');
  if (area !== 'settings') return undefined;
  return screens.find(screen => screen.path === name && (screen.isDeep || rest.length === 0));
}
