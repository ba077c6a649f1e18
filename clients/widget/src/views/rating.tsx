import { icon } from '@support-chat/ui/icons.jsx';
import { Component, type VNode } from 'preact';
import { rate } from '../actions.js';
import type { MessageKey } from '../messages.js';
import type { Thread } from '../state/thread.js';
import type { ViewProps } from './view-props.js';
import { inputOf } from './input-of.js';

/** Mouths from very bad to very good, on a grid of 24. */
const MOUTHS = [
  'M7.5 17a5 5 0 019 0',
  'M8 16.5a6 6 0 018 0',
  'M8 16h8',
  'M8 15a6 6 0 008 0',
  'M7 14a5.2 5.2 0 0010 0z',
];

interface RatingProps extends ViewProps {
  thread: Thread;
}

/** Shown below an ended conversation: five faces, then a comment. */
export class Rating extends Component<RatingProps, { score?: number }> {
  override render({ chat, thread }: RatingProps): VNode {
    const { text } = chat;
    const { score } = this.state;
    const { id, csat } = thread.view;
    return (
      <div class="card">
        {csat && <p id="thanks">{text('ratingThanks')}</p>}
        {chat.config.features.csat && !csat && thread.received.length > 0 && (
          <form
            onSubmit={event => {
              const comment = inputOf(event, 'comment').value.trim();
              void chat.perform(() => rate(chat, id, score!, comment));
            }}
          >
            <fieldset class="faces-of-rating">
              <legend>{text('rate')}</legend>
              {MOUTHS.map((mouth, index) => {
                const value = index + 1;
                const name = text(`rate${value}` as MessageKey);
                return (
                  <label key={mouth} title={name}>
                    <input
                      type="radio"
                      name="score"
                      checked={score === value}
                      onChange={() => this.setState({ score: value })}
                    />
                    {icon(`M12 22a10 10 0 100-20 10 10 0 000 20zM8.5 9.5v.5M15.5 9.5v.5${mouth}`)}
                    <span class="hidden">{name}</span>
                  </label>
                );
              })}
            </fieldset>
            {score && (
              <>
                <label for="comment">{text('rateComment')}</label>
                <textarea id="comment" name="comment" rows={2} maxLength={2000} dir="auto" />
                <button class="primary">{text('sendRating')}</button>
              </>
            )}
          </form>
        )}
        {/* has the focus after the rating, so that a screen reader reads the thanks too */}
        <button class="secondary" aria-describedby={csat ? 'thanks' : undefined} onClick={() => chat.restart()}>
          {text('startAgain')}
        </button>
      </div>
    );
  }
}
