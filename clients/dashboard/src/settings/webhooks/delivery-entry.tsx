import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { WebhookDeliveryView } from '@support-chat/sdk';
import { conversationPath } from '../../conversation-path.js';
import { describeError } from '../../forms/describe-error.js';
import { Banner } from '../../parts/banner.js';
import { Button } from '../../parts/button.js';
import { timeText } from '../dates.js';
import { StateBadge } from '../endpoints/state-badge.js';
import { COMMON_CODES } from '../errors.js';
import { Facts } from '../screen.js';
import { attemptText, type Attempt } from './webhook-health.js';
import { formats, t, type TextKey } from './texts/index.js';

const LOOKS = { pending: 'warning', delivered: 'good', failed: 'danger' } as const;
const CODES = { ...COMMON_CODES, webhook_disabled: { key: 'webhookDisabled' } } as const;

export interface DeliveryEntryProps {
  delivery: WebhookDeliveryView;
  canRetry: boolean;
  onRetry(delivery: WebhookDeliveryView): Promise<void>;
}

/** A delivery in a line, and unfolded with all its attempts. */
export function DeliveryEntry({ delivery, canRetry, onRetry }: DeliveryEntryProps) {
  const { event, status, attempts, created_at: createdAt } = delivery;
  const last = attempts.at(-1);
  const facts = [
    formats().ago(createdAt),
    last && outcomeOf(last),
    attempts.length > 1 && t('attemptCount', { count: attempts.length }),
  ];
  return (
    <li class="delivery">
      <details>
        <summary>
          <code dir="ltr">{event}</code> <StateBadge look={LOOKS[status]}>{t(status)}</StateBadge>{' '}
          <small>{facts.filter(Boolean).join(' · ')}</small>
        </summary>
        <div class="detail">
          <DeliveryFacts delivery={delivery} />
          {attempts.length > 0 ? <Attempts attempts={attempts} /> : <p>{t('noAttempt')}</p>}
          {canRetry && <Retry delivery={delivery} onRetry={onRetry} />}
        </div>
      </details>
    </li>
  );
}

function outcomeOf(attempt: Attempt): string {
  const latency = t('latency', { ms: attempt.latency_ms });
  return t('outcome', { outcome: attemptText(attempt), latency });
}

function DeliveryFacts({ delivery }: { delivery: WebhookDeliveryView }) {
  const { event_id: eventId, conversation_id: conversationId, created_at: createdAt, next_attempt_at: next } = delivery;
  return (
    <Facts
      facts={[
        [t('eventId'), <code dir="ltr">{eventId}</code>],
        ...(conversationId === null
          ? []
          : [
              [
                t('conversationFact'),
                <Link href={conversationPath(conversationId)}>{t('openConversation')}</Link>,
              ] as const,
            ]),
        [t('createdAt'), timeText(createdAt)],
        ...(next === null ? [] : [[t('nextAttempt'), timeText(next)] as const]),
      ]}
    />
  );
}

function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <table class="attempts">
      <caption class="unseen">{t('attempts')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('attemptAt')}</th>
          <th scope="col">{t('outcomeTitle')}</th>
          <th scope="col">{t('latencyTitle')}</th>
        </tr>
      </thead>
      <tbody>
        {attempts.map(attempt => (
          <tr key={attempt.at}>
            <td>{timeText(attempt.at)}</td>
            <td>{attemptText(attempt)}</td>
            <td>{t('latency', { ms: attempt.latency_ms })}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Retry({ delivery, onRetry }: Pick<DeliveryEntryProps, 'delivery' | 'onRetry'>) {
  const [isWaiting, setWaiting] = useState(false);
  const [failure, setFailure] = useState<string>();
  const retry = async () => {
    setWaiting(true);
    setFailure(undefined);
    try {
      await onRetry(delivery);
    } catch (error) {
      setFailure(describeError<TextKey>(error, CODES, t));
    }
    setWaiting(false);
  };
  return (
    <>
      {failure && <Banner kind="danger">{failure}</Banner>}
      <div>
        <Button look="quiet" isSmall isWaiting={isWaiting} onClick={() => void retry()}>
          {t('retryNow')}
        </Button>
      </div>
    </>
  );
}
