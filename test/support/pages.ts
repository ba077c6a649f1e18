import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The blocks of code in one language, in order. */
export function blocksIn(markdown: string, language: string): string[] {
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms');
  return [...markdown.matchAll(block)].map(match => match[1] ?? '');
}

/** What a page links to on this disk and cannot. */
export function brokenLinks(page: string): string[] {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(match => match[1] ?? '');
  return links.filter(
    link => !link.startsWith('http') && !statSync(join(dirname(page), link), { throwIfNoEntry: false }),
  );
}
