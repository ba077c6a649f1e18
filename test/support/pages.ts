import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Code blocks of one language, in order. */
export function blocksIn(markdown: string, language: string): string[] {
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms');
  return [...markdown.matchAll(block)].map(match => match[1] ?? '');
}

/** Links of a page to local files that do not exist. */
export function brokenLinks(page: string): string[] {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(match => match[1] ?? '');
  return links.filter(
    link => !link.startsWith('http') && !statSync(join(dirname(page), link), { throwIfNoEntry: false }),
  );
}
