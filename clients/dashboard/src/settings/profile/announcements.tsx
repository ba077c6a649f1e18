import { useState } from 'preact/hooks';
import { Switch } from '../../parts/switch.js';
import { preferences, setPreferences } from '../../preferences.js';
import { t } from './texts/index.js';

/** How this browser announces notifications. It is asked for its permission only when somebody turns them on here. */
export function Announcements() {
  const { browserNotices, sound } = preferences();
  const [permission, setPermission] = useState(readPermission);
  const allow = async (isOn: boolean) => {
    if (!isOn) return setPreferences({ browserNotices: false });
    const answer = await Notification.requestPermission();
    setPermission(answer);
    setPreferences({ browserNotices: answer === 'granted' });
  };
  const setSound = async (isOn: boolean) => {
    setPreferences({ sound: isOn });
    if (isOn) (await import('../../notices/announce.js')).playSound();
  };
  return (
    <>
      {permission !== 'unsupported' && (
        <Switch
          label={t('browserNotices')}
          hint={t(permission === 'denied' ? 'browserNoticesDenied' : 'browserNoticesHint')}
          isOn={browserNotices && permission === 'granted'}
          onChange={isOn => void allow(isOn)}
        />
      )}
      <Switch label={t('sound')} hint={t('soundHint')} isOn={sound} onChange={isOn => void setSound(isOn)} />
    </>
  );
}

function readPermission(): NotificationPermission | 'unsupported' {
  return 'Notification' in window ? Notification.permission : 'unsupported';
}
