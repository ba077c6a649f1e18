import { addElement } from './element.js';

/** Viewports in which the panel fills the screen. */
export const SMALL = '(max-width: 480px), (max-height: 480px)';

export interface Panel {
  dialog: HTMLDialogElement;
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
  const dialog = addElement(root, 'dialog', { className: 'panel' });
  const small = matchMedia(SMALL);
  const removal = new AbortController();
  const isFull = (): boolean => isPage || small.matches;
  const open = (): void => {
    dialog.classList.toggle('full', isFull());
    fit();
    if (isFull() && !isPage) dialog.showModal();
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
  const listen = (target: EventTarget | null, type: string, listener: (event: never) => void): void =>
    target?.addEventListener(type, listener as EventListener, removal);
  listen(dialog, 'cancel', dismiss);
  // a dialog that is not modal has no event for Escape
  listen(dialog, 'keydown', (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) dismiss(event);
  });
  listen(small, 'change', turned);
  listen(visualViewport, 'resize', fit);
  listen(visualViewport, 'scroll', fit);
  return { dialog, open, close, remove: () => removal.abort() };
}
