import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/button.js';
import { t } from './texts/index.js';

interface ConfirmationProps {
  title: string;
  /** Says what happens, and whether it can be undone. */
  text: string;
  action: string;
  onConfirm(): void;
  onClose(): void;
}

/** Asks once before something that cannot be taken back. */
export function Confirmation({ title, text, action, onConfirm, onClose }: ConfirmationProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="confirmation" aria-labelledby="confirmation-title" onClose={onClose}>
      <h2 id="confirmation-title">{title}</h2>
      <p>{text}</p>
      <div class="buttons">
        <Button look="quiet" onClick={() => dialog.current?.close()}>
          {t('cancel')}
        </Button>
        <Button
          look="danger"
          onClick={() => {
            dialog.current?.close();
            onConfirm();
          }}
        >
          {action}
        </Button>
      </div>
    </dialog>
  );
}
