import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.js';
import { Confirmation } from '../../parts/confirmation.js';
import { describe } from '../errors.js';
import { Section } from '../screen.js';
import { t } from './texts/index.js';

export interface DeleteSectionProps {
  title: string;
  /** The effect. */
  text: string;
  /** Has to be typed. */
  name: string;
  onDelete(): Promise<void>;
}

/** Deletes for good, at the end of a screen. */
export function DeleteSection({ title, text, name, onDelete }: DeleteSectionProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <Section title={title} intro={text}>
      <div>
        <Button look="danger" onClick={() => setAsking(true)}>
          {title}
        </Button>
      </div>
      {isAsking && (
        <Confirmation
          title={t('deleteTitle', { name })}
          action={t('delete')}
          typedName={name}
          describe={describe}
          onConfirm={onDelete}
          onClose={() => setAsking(false)}
        >
          <p>{text}</p>
        </Confirmation>
      )}
    </Section>
  );
}
