import { useState } from 'preact/hooks';
import { Confirmation } from '../../parts/confirmation.js';
import { Switch } from '../../parts/switch.js';
import { toasts } from '../../parts/toasts.js';
import { describe } from '../errors.js';
import { t } from './texts/index.js';

export interface EnabledSwitchProps {
  isOn: boolean;
  hint: string;
  /** Title and effect of disabling, which cannot be taken back. */
  question: { title: string; text: string };
  /** Saves the choice. */
  onChange(isOn: boolean): Promise<void>;
}

/** Enables at once. Disabling ends work under way, so it asks first. */
export function EnabledSwitch({ isOn, hint, question, onChange }: EnabledSwitchProps) {
  const [isAsking, setAsking] = useState(false);
  const enable = async () => {
    try {
      await onChange(true);
    } catch (error) {
      toasts.show({ kind: 'failed', text: describe(error) });
    }
  };
  return (
    <>
      <Switch
        label={t('enabled')}
        hint={hint}
        isOn={isOn}
        onChange={chosen => (chosen ? void enable() : setAsking(true))}
      />
      {isAsking && (
        <Confirmation
          title={question.title}
          action={t('disable')}
          describe={describe}
          onConfirm={() => onChange(false)}
          onClose={() => setAsking(false)}
        >
          <p>{question.text}</p>
        </Confirmation>
      )}
    </>
  );
}
