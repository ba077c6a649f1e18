import type { Page } from 'playwright-core';

/**
 * Controls of the open chat that a pointer cannot reach: outside of the screen, or covered by something.
 * @param part CSS selector of the part to check
 */
export function controlsOutOfReach(page: Page, part = 'dialog'): Promise<string[]> {
  return page.evaluate(selector => {
    const root = document.querySelector('support-chat')!.shadowRoot!;
    const controls = root.querySelectorAll<HTMLElement>(
      `${selector} :is(button, a, textarea, select, label:has(input), input:not(label input))`,
    );
    return [...controls]
      .filter(control => {
        control.scrollIntoView({ block: 'nearest', inline: 'nearest' });
        const { x, y, width, height } = control.getBoundingClientRect();
        const hit = root.elementFromPoint(x + width / 2, y + height / 2);
        return !hit || !control.contains(hit) || x < 0 || x + width > innerWidth;
      })
      .map(control => control.ariaLabel ?? control.innerText);
  }, part);
}

/** Texts of the open chat of which a part cannot be seen. A preview may be shortened. */
export function cutOffTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const dialog = document.querySelector('support-chat')!.shadowRoot!.querySelector('dialog')!;
    const { left, right } = dialog.getBoundingClientRect();
    return [...dialog.querySelectorAll<HTMLElement>('*')]
      .filter(element => {
        const { x, width } = element.getBoundingClientRect();
        if (element.closest('.hidden, .preview, svg, select') || width === 0) return false;
        const { overflowX, overflowY } = getComputedStyle(element);
        const isOutside = x < left - 1 || x + width > right + 1;
        const isWider = element.scrollWidth > element.clientWidth + 1 && overflowX !== 'visible';
        const isHigher = element.scrollHeight > element.clientHeight + 1 && overflowY === 'hidden';
        return isOutside || isWider || isHigher;
      })
      .map(element => `${element.localName}.${element.className}: ${element.innerText.slice(0, 60)}`);
  });
}
