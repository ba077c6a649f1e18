import type { BotWithSecretView } from '@support-chat/sdk';
import { useForm } from '../../forms/use-form.js';
import { useSession } from '../../session-context.js';
import { NewEndpoint } from '../endpoints/new-endpoint.js';
import { BOT_FORM, BotFields } from './bot-fields.js';
import { bodyOf, valuesOf, type BotField } from './bot-values.js';
import { t, type TextKey } from './texts/index.js';

/** The form of a new bot. What is typed is kept while the page is open. */
export function NewBot({ onCreate }: { onCreate: (bot: BotWithSecretView) => void }) {
  const { agent, me } = useSession();
  const form = useForm<BotField, TextKey>({
    ...BOT_FORM,
    initial: valuesOf(),
    draft: `${me.member.id}:bot:new`,
    send: async values => onCreate(await agent.bots.create(bodyOf(values))),
  });
  const parent = { href: '/settings/bots', name: t('bots') };
  return (
    <NewEndpoint form={form} title={t('newBot')} intro={t('newIntro')} action={t('create')} parent={parent}>
      <BotFields form={form} isNew />
    </NewEndpoint>
  );
}
