import type { BotTestView, BotView } from '@support-chat/sdk';
import { Banner } from '../../parts/banner.js';
import { useSession } from '../../session-context.js';
import { AnswerText, TestSection } from '../endpoints/test-section.js';
import { t } from './texts/index.js';

export function BotTest({ bot }: { bot: BotView }) {
  const { agent } = useSession();
  return (
    <TestSection intro={t('testIntro')} run={() => agent.bots.test(bot.id)}>
      {result => <Outcome result={result} />}
    </TestSection>
  );
}

function Outcome({ result }: { result: BotTestView }) {
  const texts = (result.messages ?? []).map(({ content }) => content).filter(content => content !== undefined);
  return (
    <>
      <Banner kind={result.ok ? 'success' : 'danger'}>{sentenceOf(result)}</Banner>
      {texts.map((text, index) => (
        <AnswerText
          key={index}
          label={texts.length === 1 ? t('answer') : t('answerOf', { number: index + 1 })}
          text={text}
        />
      ))}
    </>
  );
}

function sentenceOf({ ok, status, latency_ms: ms, messages = [], error }: BotTestView): string {
  const values = { status: String(status), latency: t('latency', { ms: ms ?? 0 }) };
  if (error === 'status') return t('answeredBadly', values);
  if (error === 'answer_unusable') return t('answerUnusable', values);
  if (error === 'answer_incomplete') return t('answerIncomplete', values);
  if (!ok) return t('unreachable');
  const sentence = t('answered', values);
  return messages.length > 0 ? sentence : `${sentence} ${t('noMessage')}`;
}
