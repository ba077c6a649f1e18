import { formatCount } from './format.js';
import { t } from './texts/index.js';

/** How often each rating was given, the best first. @param scores from 1 to 5 */
export function RatingScores({ scores }: { scores: readonly number[] }) {
  const most = Math.max(1, ...scores);
  return (
    <dl class="scores">
      {scores
        .map((count, index) => (
          <div key={index}>
            <dt>{t('score', { score: index + 1 })}</dt>
            <dd>
              <span class="track" aria-hidden="true">
                <span class="bar" style={{ inlineSize: `${(count / most) * 100}%` }} />
              </span>
              {formatCount(count)}
            </dd>
          </div>
        ))
        .reverse()}
    </dl>
  );
}
