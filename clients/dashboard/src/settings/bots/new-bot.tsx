import { useLocation } from 'wouter-preact';
import type { BotWithSecretView } from '@support-chat/sdk';
import { useForm } from '../../forms/use-form.js';
import { Banner } from '../../parts/banner.js';
import { FormButtons } from '../../parts/form-buttons.js';
import { useSession } from '../../session-context.js';
import { Screen } from '../screen.js';
import { BOT_FORM, BotFields } from './bot-fields.js';
import { bodyOf, valuesOf, type BotField } from './bot-values.js';
import { t, type TextKey } from './texts/index.js';

/** The form of a new bot. What is typed is kept while the page is open. */
export function NewBot({ onCreate }: { onCreate: (bot: BotWithSecretView) => void }) {
  const { agent, me } = useSession();
  const [, navigate] = useLocation();
  const form = useForm<BotField, TextKey>({
    ...BOT_FORM,
    initial: valuesOf(),
    draft: `${me.member.id}:bot:new`,
    send: async values => onCreate(await agent.bots.create(bodyOf(values))),
  });
  return (
    <Screen title={t('newBot')} intro={t('newIntro')} parent={{ href: '/settings/bots', name: t('bots') }}>
      <form class="sheet" noValidate onSubmit={form.submit}>
        <BotFields form={form} isNew />
        {form.failure && <Banner kind="danger">{form.failure}</Banner>}
        <FormButtons
          action={t('create')}
          isWaiting={form.isSending}
          onCancel={() => {
            form.reset();
            navigate('/settings/bots');
          }}
        />
      </form>
    </Screen>
  );
}
