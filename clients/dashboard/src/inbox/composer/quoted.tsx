import { CLOSE, icon } from '@support-chat/ui/icons.jsx';
import { Quote } from '../timeline/quote.js';
import { composerText } from './texts/index.js';

export interface QuotedProps {
  conversationId: string;
  /** The message that the draft answers. */
  id: string;
  onRemove(): void;
}

/** The quoted message above the field. */
export function Quoted({ conversationId, id, onRemove }: QuotedProps) {
  return (
    <div class="quoted">
      <Quote conversationId={conversationId} id={id} />
      <button class="icon-button" type="button" onClick={onRemove}>
        <span class="unseen">{composerText('removeQuote')}</span>
        {icon(CLOSE)}
      </button>
    </div>
  );
}
