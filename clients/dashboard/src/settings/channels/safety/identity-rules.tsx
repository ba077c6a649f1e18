import type { ChannelView } from '@support-chat/sdk';
import { Banner } from '../../../parts/banner.js';
import { Choice } from '../../../parts/choice.js';
import { SaveBar, Section } from '../../screen.js';
import type { ChannelPartProps } from '../channel-part.js';
import { t } from '../texts/index.js';
import { useChannelForm } from '../use-channel-form.js';

type Mode = ChannelView['identity_verification'];

/** Proof of identity. A channel without it is a risk for customers, so a loud sentence says so. */
export function IdentityRules(props: ChannelPartProps) {
  const form = useChannelForm({
    ...props,
    part: 'identity',
    initial: { identity_verification: props.channel.identity_verification },
    faults: { identity_verification: 'identityModeInvalid' },
    toBody: values => ({ identity_verification: values.identity_verification as Mode }),
  });
  const mode = form.values.identity_verification as Mode;
  return (
    <Section title={t('identity')}>
      <form noValidate onSubmit={form.submit}>
        <Choice
          label={t('identityMode')}
          name="identity-mode"
          value={mode}
          options={[
            { value: 'required', name: t('identityRequired') },
            { value: 'optional', name: t('identityOptional') },
            { value: 'off', name: t('identityOff') },
          ]}
          onChange={value => form.change('identity_verification', value)}
        />
        {mode === 'off' && <Banner kind="danger">{t('identityOffHint')}</Banner>}
        {mode !== 'off' && (
          <p class="hint">{t(mode === 'required' ? 'identityRequiredHint' : 'identityOptionalHint')}</p>
        )}
        <SaveBar form={form} />
      </form>
    </Section>
  );
}
