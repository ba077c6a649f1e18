import type { ChannelView } from '@support-chat/sdk';
import { HoursText } from '../business-hours/hours-text.js';
import { Facts, Section } from '../screen.js';
import { websitesOf } from './channel-list.js';
import { t } from './texts/index.js';

/** A channel for members who can only read it. */
export function ChannelFacts({ channel }: { channel: ChannelView }) {
  const { status, business_hours: hours } = channel;
  return (
    <>
      <Section title={t('tabGeneral')}>
        <Facts
          facts={[
            [t('state'), t(status)],
            [t('websitesFact'), websitesOf(channel)],
          ]}
        />
      </Section>
      <Section title={t('hours')}>{hours ? <HoursText value={hours} /> : <p>{t('workspaceHours')}</p>}</Section>
    </>
  );
}
