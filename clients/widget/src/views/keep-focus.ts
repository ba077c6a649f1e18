/**
 * Keeps the focus in the panel when its element disappears, such as a button that has done its work. It goes to the
 * composer, or to the card that has taken its place. On touch screens it goes to the messages: the keyboard of the
 * composer would cover them.
 * @returns a function that ends it
 */
export function keepFocus(panel: HTMLElement): () => void {
  let blurred: Node | undefined;
  const find = (selector: string): HTMLElement | null => panel.querySelector(selector);
  const blur = ({ target, relatedTarget }: FocusEvent): void => {
    blurred = relatedTarget ? undefined : (target as Node);
    setTimeout(() => (blurred = undefined));
  };
  const observer = new MutationObserver(() => {
    if (!blurred || blurred.isConnected) return;
    blurred = undefined;
    const composer = find('.composer textarea');
    const isTouch = matchMedia('(pointer: coarse)').matches;
    const field = composer ? !isTouch && composer : find('.card :is(input, select, textarea, button)');
    (field || find('.scroll'))?.focus();
  });
  panel.addEventListener('focusout', blur);
  observer.observe(panel, { childList: true, subtree: true });
  return () => {
    panel.removeEventListener('focusout', blur);
    observer.disconnect();
  };
}
