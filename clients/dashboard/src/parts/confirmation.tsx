import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { describeError } from '../forms/describe-error.js';
import { t } from '../texts/index.js';
import { Banner } from './banner.js';
import { FormButtons } from './form-buttons.js';
import { Dialog } from './dialog.js';

export interface ConfirmationProps {
  title: string;
  /** The effect of the action. */
  children: ComponentChildren;
  /** Name of the button. */
  action: string;
  look?: 'primary' | 'danger';
  /** A name that has to be typed first. */
  typedName?: string;
  /** A failure is shown in the dialog, which stays open. */
  onConfirm(): Promise<void>;
  onClose(): void;
  /** The sentence of a failure. */
  describe?: (error: unknown) => string;
}

/** Asks before an action that cannot be undone. */
export function Confirmation(props: ConfirmationProps) {
  const { title, children, action, look = 'danger', typedName, onConfirm, onClose, describe = describeError } = props;
  const [typed, setTyped] = useState('');
  const [isWaiting, setWaiting] = useState(false);
  const [failure, setFailure] = useState<string>();
  const id = useId();
  const isReady = typedName === undefined || typed.trim() === typedName.trim();

  const confirm = async () => {
    if (!isReady) return setFailure(t('typeNameFirst', { name: typedName }));
    setWaiting(true);
    setFailure(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFailure(describe(error));
      setWaiting(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        noValidate
        onSubmit={event => {
          event.preventDefault();
          if (!isWaiting) void confirm();
        }}
      >
        <div class="text">{children}</div>
        {typedName !== undefined && (
          <div class="field">
            <label for={id}>{t('typeName', { name: typedName })}</label>
            <input
              id={id}
              type="text"
              autocomplete="off"
              spellcheck={false}
              dir="auto"
              autofocus
              value={typed}
              onInput={event => setTyped(event.currentTarget.value)}
            />
          </div>
        )}
        {failure && <Banner kind="danger">{failure}</Banner>}
        <FormButtons action={action} look={look} isWaiting={isWaiting} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
