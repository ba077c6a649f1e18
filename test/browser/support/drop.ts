import type { Locator } from 'playwright-core';

/** Drags a file over an element and drops it there. @returns true if the browser would open the file instead */
export function dropOn(target: Locator, file: { name: string; type: string; content: string }): Promise<boolean> {
  return target.evaluate((element, { name, type, content }) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([content], name, { type }));
    const init = { dataTransfer, bubbles: true, cancelable: true, composed: true };
    const events = ['dragenter', 'dragover', 'drop'].map(event => new DragEvent(event, init));
    return events.map(event => element.dispatchEvent(event)).at(-1)!;
  }, file);
}
