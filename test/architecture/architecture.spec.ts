import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exceptions, textsOf } from './domain-words.js';
import { injectables, terms } from './provider-names.js';
import { policies, type Orders } from './rules.js';
import { projectRoot, survey, type Survey } from './survey.js';

const planted = 'test/architecture/planted';
const foldersOf = (path: string): string[] =>
  readdirSync(join(projectRoot, path), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .filter(name => name !== 'orders');
const orderIn = (folder: string): Orders => {
  const read = (layer: string) =>
    JSON.parse(readFileSync(join(projectRoot, folder, layer, 'order.json'), 'utf8')) as string[];
  return { platform: read('platform'), modules: read('modules') };
};

describe('The project', () => {
  const orders = orderIn('src');
  let project: Survey;

  beforeAll(async () => {
    project = await survey([''], orders);
  });

  it('The survey reads the configuration and the index file of every module.', () => {
    const indexFiles = orders.modules
      .map(name => `src/modules/${name}/index.ts`)
      .filter(path => existsSync(join(projectRoot, path)));
    expect(project.seen).toEqual(expect.arrayContaining(['src/config/env.ts', ...indexFiles]));
  });

  it.each(exceptions)('The platform still needs this exception for words of the domain: $why', ({ file, text }) => {
    const platform = join(projectRoot, 'src/platform');
    const texts = readdirSync(platform, { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.ts') && file.test(path))
      .flatMap(path => textsOf(readFileSync(join(platform, path), 'utf8')));
    expect(texts.filter(found => found.search(text) >= 0)).not.toEqual([]);
  });

  it('Every injectable class that is named by a term instead of a role exists.', () => {
    const names = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.ts'))
      .flatMap(path => injectables(readFileSync(join(projectRoot, 'src', path), 'utf8')));
    for (const term of terms.source.split('|')) {
      const pattern = new RegExp(term.replace(/^\^\(\?:|\)\$$/g, ''));
      expect([term, names.some(name => pattern.test(name))]).toEqual([term, true]);
    }
  });

  it.each(Object.entries(policies))('The project obeys %s: %s', rule => {
    expect(project.violations.filter(violation => violation.rule === rule)).toEqual([]);
  });
});

/**
 * `planted/<rule>/<case>/` is a small project that breaks only this rule; those under `planted/control/` break none.
 */
describe('A project with a planted violation', () => {
  const cases = foldersOf(planted).flatMap(rule =>
    foldersOf(`${planted}/${rule}`).map(name => ({
      rule,
      what: name.replaceAll('-', ' '),
      tree: `${planted}/${rule}/${name}`,
    })),
  );
  let houses: Survey;

  beforeAll(async () => {
    const trees = cases.map(({ tree }) => tree);
    houses = await survey(trees, orderIn(`${planted}/orders`), `^${planted}/[^/]+/[^/]+/`);
  });

  const brokenIn = (tree: string) => {
    const found = houses.violations.filter(({ at }) => at.startsWith(`${tree}/`));
    return [...new Set(found.map(({ rule }) => rule))];
  };

  it('Every rule has a planted violation.', () => {
    expect(foldersOf(planted).filter(rule => rule !== 'control')).toEqual(Object.keys(policies).sort());
  });

  it.each(cases.filter(({ rule }) => rule !== 'control'))(
    'The survey reports only $rule for: $what',
    ({ rule, tree }) => {
      expect(brokenIn(tree)).toEqual([rule]);
    },
  );

  it.each(cases.filter(({ rule }) => rule === 'control'))('The survey reports nothing for: $what', ({ tree }) => {
    expect(brokenIn(tree)).toEqual([]);
  });
});
