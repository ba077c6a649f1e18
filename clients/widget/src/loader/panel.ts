/** Viewports in which the panel fills the screen. */
const SMALL = '(max-width: 480px), (max-height: 480px)';

export interface Panel {
  dialog: HTMLDialogElement;
  readonly isOpen: boolean;
  open(): void;
  close(): void;
  remove(): void;
}

/**
 * The panel's dialog. On small screens it is modal: it covers the page, which gets neither focus nor touches. It then
 * follows the visible part of the screen, which a phone's keyboard makes smaller.
 * @param isPage true if the panel is the whole page: it stays open
 * @param onDismiss called when the visitor closes it by Escape or the system's back gesture
 */
export function addPanel(root: ShadowRoot, isPage: boolean, onDismiss: () => void): Panel {
  const dialog = document.createElement('dialog');
  dialog.className = 'panel';
  root.append(dialog);
  const small = matchMedia(SMALL);
  const isFull = (): boolean => isPage || small.matches;
  const open = (): void => {
    const full = isFull();
    dialog.classList.toggle('full', full);
    if (full && !isPage) dialog.showModal();
    else dialog.show();
  };
  const close = (): void => dialog.close();
  const turned = (): void => {
    if (!dialog.open || dialog.classList.contains('full') === isFull()) return;
    close();
    open();
  };
  const fit = (): void => {
    const { height, offsetTop } = visualViewport!;
    dialog.style.setProperty('--visible-height', `${height}px`);
    dialog.style.setProperty('--visible-top', `${offsetTop}px`);
  };
  const dismiss = (event: Event): void => {
    event.preventDefault();
    if (!isPage) onDismiss();
  };
  dialog.addEventListener('cancel', dismiss);
  // a dialog that is not modal has no event for Escape
  dialog.addEventListener('keydown', event => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) dismiss(event);
  });
  small.addEventListener('change', turned);
  visualViewport?.addEventListener('resize', fit);
  visualViewport?.addEventListener('scroll', fit);
  return {
    dialog,
    get isOpen() {
      return dialog.open;
    },
    open,
    close,
    remove() {
      small.removeEventListener('change', turned);
      visualViewport?.removeEventListener('resize', fit);
      visualViewport?.removeEventListener('scroll', fit);
    },
  };
}
