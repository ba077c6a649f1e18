import type { Operation, Section } from './operation.js';

/**
 * Collects the tags of all operations, sorted by name. Removes the descriptions from the operations.
 * @throws when a tag has no description
 */
export function collectSections(operations: Operation[]): Section[] {
  const descriptions = new Map<string, string>();
  for (const operation of operations) {
    const section = operation['x-section'];
    if (section) descriptions.set(section.name, section.description);
    delete operation['x-section'];
  }
  const names = new Set(operations.flatMap(({ tags = [] }) => tags));
  return [...names].sort().map(name => {
    const description = descriptions.get(name);
    if (description === undefined) throw new Error(`the section ${name} has no description`);
    return { name, description };
  });
}
