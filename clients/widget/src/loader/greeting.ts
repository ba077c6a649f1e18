import type { GreetingModule, GreetingOptions } from '../greeting.js';
import { SMALL } from './panel.js';

/** Path of the greeting's module, relative to the service; set by the build. */
declare const GREETING: string;

/** Time (ms) that visitors have to look at the page first. */
const DELAY_MS = 3_000;

export interface Greeting {
  remove(): void;
}

/**
 * Shows the greeting of the company beside the launcher, a while after the page. It opens no session, and takes no
 * focus. It does not appear on small screens, where it would cover the page. A module that cannot be loaded is no loss.
 * @param onShow called when it becomes visible
 */
export function scheduleGreeting(
  baseUrl: string,
  root: ShadowRoot,
  options: GreetingOptions,
  onShow: () => void,
): Greeting {
  let region: HTMLElement | undefined;
  let isRemoved = false;
  const show = ({ drawGreeting }: GreetingModule): void => {
    if (isRemoved) return;
    region = drawGreeting(root, options);
    onShow();
  };
  const timer = setTimeout(() => {
    if (!matchMedia(SMALL).matches) import(/* @vite-ignore */ baseUrl + GREETING).then(show, () => undefined);
  }, DELAY_MS);
  return {
    remove() {
      isRemoved = true;
      clearTimeout(timer);
      region?.remove();
    },
  };
}
