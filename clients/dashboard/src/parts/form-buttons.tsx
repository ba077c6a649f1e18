import { t } from '../texts/index.js';
import { Button } from './button.js';

export interface FormButtonsProps {
  /** Text of the button that sends the form. */
  action: string;
  look?: 'primary' | 'danger' | undefined;
  isWaiting: boolean;
  onCancel(): void;
}

/** The end of a form: the way back, and the button that sends it. */
export function FormButtons({ action, look, isWaiting, onCancel }: FormButtonsProps) {
  return (
    <div class="actions">
      <Button look="quiet" onClick={onCancel}>
        {t('cancel')}
      </Button>
      <Button type="submit" look={look} isWaiting={isWaiting}>
        {action}
      </Button>
    </div>
  );
}
