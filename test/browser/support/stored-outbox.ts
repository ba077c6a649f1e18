import type { Page } from 'playwright-core';

/** The messages that a page has stored because the service has not confirmed them, as JSON. */
export function storedOutbox(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    Object.entries({ ...localStorage }).flatMap(([key, item]) => (key.includes(':outbox:') ? [item as string] : [])),
  );
}
