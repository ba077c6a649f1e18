import { LoadFailure } from '../../parts/page-list.js';
import { Skeleton } from '../../parts/skeleton.js';
import { useLoaded } from '../../parts/use-loaded.js';
import { useSession } from '../../session-context.js';
import { Screen } from '../screen.js';
import { Appearance } from './appearance.js';
import { Availability } from './availability.js';
import { Identity } from './identity.js';
import { Notifications } from './notifications.js';
import { PasswordChange } from './password-change.js';
import { t } from './texts/index.js';

/** The member's own name, availability, notifications and password, and the choices of this browser. */
export default function Profile() {
  const { agent } = useSession();
  const { value: profile, error, reload, set } = useLoaded(() => agent.members.getMe());
  return (
    <Screen title={t('profile')} intro={t('intro')}>
      {profile ? (
        <>
          <Identity profile={profile} onChange={set} />
          <Availability profile={profile} onChange={set} />
          <Notifications profile={profile} onChange={set} />
          <PasswordChange email={profile.email} />
        </>
      ) : error === undefined ? (
        <Skeleton />
      ) : (
        <LoadFailure error={error} onRetry={() => void reload()} />
      )}
      <Appearance />
    </Screen>
  );
}
