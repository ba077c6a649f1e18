import { Link, Redirect, useLocation } from 'wouter-preact';
import { LazyArea } from '../lazy-area.js';
import { useMedia } from '../parts/use-media.js';
import { useSession } from '../session-context.js';
import { accessOf } from './access.js';
import { findScreen, SCREENS, type SettingsScreen } from './screens.js';
import './settings.css';
import { t } from './texts/index.js';

/** Below this width there is one pane: the list of screens, or one of them. */
const ONE_PANE = '(max-width: 899px)';

/** The settings. A member sees the screens of its role. */
export default function Settings() {
  const { me } = useSession();
  const [path] = useLocation();
  const isOnePane = useMedia(ONE_PANE);
  const access = accessOf(me);
  const screens = SCREENS.filter(({ isVisible }) => !isVisible || isVisible(access));
  const isIndex = /^\/settings\/?$/.test(path);
  const first = screens[0];
  if (isIndex && !isOnePane && first) return <Redirect to={`/settings/${first.path}`} replace />;
  const screen = findScreen(screens, path);
  return (
    <div class="settings">
      {(!isOnePane || isIndex) && <Navigation screens={screens} present={screen} />}
      {!isIndex && (
        <div class="screen">
          {isOnePane && (
            <Link class="back" href="/settings">
              {t('back')}
            </Link>
          )}
          {screen ? <LazyArea key={screen.path} load={screen.load} /> : <NoScreen />}
        </div>
      )}
    </div>
  );
}

interface NavigationProps {
  screens: readonly SettingsScreen[];
  present: SettingsScreen | undefined;
}

function Navigation({ screens, present }: NavigationProps) {
  const groups = [...new Set(screens.map(({ group }) => group))];
  return (
    <nav class="sections" aria-label={t('sections')}>
      <h1>{t('settings')}</h1>
      {groups.map(group => (
        <div key={group} role="group" aria-label={t(group)}>
          <p aria-hidden="true">{t(group)}</p>
          {screens
            .filter(screen => screen.group === group)
            .map(({ path, name }) => (
              <Link key={path} href={`/settings/${path}`} aria-current={present?.path === path ? 'page' : undefined}>
                {t(name)}
              </Link>
            ))}
        </div>
      ))}
    </nav>
  );
}

function NoScreen() {
  return (
    <div class="nothing">
      <h1>{t('noScreenTitle')}</h1>
      <p>{t('noScreen')}</p>
      <Link href="/settings">{t('toSettings')}</Link>
    </div>
  );
}
