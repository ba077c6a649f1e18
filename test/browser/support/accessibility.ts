import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** WCAG 2.2, levels A and AA, and the advice of axe. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Violations of accessibility rules in the present state of a page, also in its shadow roots, each with its elements.
 * The code runs through the debugger, so that no Content-Security-Policy of the page prevents it.
 * @param element CSS selector of the part to check
 */
export async function accessibilityViolations(page: Page, element = 'html'): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('Runtime.evaluate', { expression: AXE });
    const options = JSON.stringify({ runOnly: { type: 'tag', values: RULES }, resultTypes: ['violations'] });
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression: `axe.run(${JSON.stringify(element)}, ${options})`,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return describe(result.value as AxeResults);
  } finally {
    await session.detach();
  }
}

/**
 * True if screen readers read a whole live region out again when a part is added to it.
 * @param element JavaScript expression of the region
 */
export async function isReadWhole(page: Page, element: string): Promise<unknown> {
  const session = await page.context().newCDPSession(page);
  try {
    const { result } = await session.send('Runtime.evaluate', { expression: element });
    const { nodes } = await session.send('Accessibility.getPartialAXTree', {
      objectId: result.objectId!,
      fetchRelatives: false,
    });
    return nodes[0]!.properties!.find(({ name }) => name === 'atomic')?.value.value;
  } finally {
    await session.detach();
  }
}

function describe({ violations }: AxeResults): string[] {
  return violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html).join(', ')})`);
}
