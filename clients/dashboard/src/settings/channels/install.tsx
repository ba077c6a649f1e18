import { useRouter } from 'wouter-preact';
import { useDesk } from '../../desk/desk-context.js';
import { Banner } from '../../parts/banner.js';
import { CodeBlock } from '../../parts/code-block.js';
import { Section } from '../screen.js';
import { serviceUrl } from './appearance/use-public-config.js';
import type { ChannelPartProps } from './channel-part.js';
import { Seen } from './seen.js';
import { chatLink, identifySnippet, policyFor, SERVER_SNIPPET, snippet } from './snippets.js';
import { t } from './texts/index.js';

/** Code that puts the chat on a website. */
export function Install({ channel }: ChannelPartProps) {
  const { base } = useRouter();
  const { directory } = useDesk();
  const service = serviceUrl(base);
  const people = [...directory.activeMembers.value, ...directory.bots.value.values()];
  const pictures = [channel.widget_config.theme.logo_url, ...people.map(each => each.avatar_url)];
  const link = chatLink(service, channel);
  return (
    <>
      {channel.status === 'disabled' && <Banner kind="danger">{t('offWarning')}</Banner>}
      <Section title={t('snippet')} intro={t('snippetHint')}>
        <CodeBlock label={t('snippetCode')} code={snippet(service, channel)} />
      </Section>
      <Section title={t('seen')} intro={t('seenHint')}>
        <Seen channel={channel} />
      </Section>
      <Section title={t('identifyTitle')} intro={t('identifyHint')}>
        <CodeBlock label={t('identifyCode')} code={identifySnippet(service, channel)} />
        <p class="hint">{t('serverHint')}</p>
        <CodeBlock label={t('serverCode')} code={SERVER_SNIPPET} />
      </Section>
      <Section title={t('policyTitle')} intro={t('policyHint')}>
        <CodeBlock label={t('policyCode')} code={policyFor(service, pictures)} />
      </Section>
      <Section title={t('linkTitle')} intro={t('linkHint')}>
        <CodeBlock label={t('linkCode')} code={link} />
        <a href={link} target="_blank" rel="noreferrer">
          {t('openLink')}
        </a>
      </Section>
    </>
  );
}
