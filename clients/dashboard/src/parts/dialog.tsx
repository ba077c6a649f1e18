import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

export interface DialogProps {
  title: string;
  /** Escape, or a click beside the dialog. The owner removes the dialog. */
  onClose(): void;
  /** A dialog with typed values stays open after a click beside it. */
  isSticky?: boolean;
  children: ComponentChildren;
}

/**
 * A modal dialog: the focus goes in, to the element with `autofocus` if there is one, and back when the dialog is
 * removed. If the former element is gone, the main area has the focus.
 */
export function Dialog({ title, onClose, isSticky = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const { current } = dialog;
    const former = document.activeElement as HTMLElement | null;
    current?.showModal();
    return () => {
      current?.close();
      (former?.isConnected && former !== document.body ? former : document.getElementById('main'))?.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault();
        onClose();
      }}
      onClick={event => {
        if (event.target === dialog.current && !isSticky) onClose();
      }}
    >
      <div class="content">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
