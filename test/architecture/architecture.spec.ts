import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { policies } from './rules.js';
import { projectRoot, survey, type Survey } from './survey.js';

const planted = 'test/architecture/planted';
const foldersOf = (path: string) =>
  readdirSync(join(projectRoot, path), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name);
const orderIn = (path: string) => JSON.parse(readFileSync(join(projectRoot, path), 'utf8')) as string[];

describe('the house', () => {
  const order = orderIn('src/modules/order.json');
  let house: Survey;

  beforeAll(async () => {
    house = await survey([''], order);
  });

  it('is what the survey reads: its first room and its front doors', () => {
    const doors = order.map(name => `src/modules/${name}/index.ts`).filter(path => existsSync(join(projectRoot, path)));
    expect(house.seen).toEqual(expect.arrayContaining(['src/config/env.ts', ...doors]));
  });

  it.each(Object.entries(policies))('keeps %s: %s', rule => {
    expect(house.violations.filter(violation => violation.rule === rule)).toEqual([]);
  });
});

/** `planted/<rule>/<case>/` is a house that breaks this rule alone; under `planted/control/` stand houses in order. */
describe('a house with a planted violation', () => {
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
    houses = await survey(trees, orderIn(`${planted}/order.json`), `^${planted}/[^/]+/[^/]+/`);
  });

  const brokenIn = (tree: string) => {
    const found = houses.violations.filter(({ at }) => at.startsWith(`${tree}/`));
    return [...new Set(found.map(({ rule }) => rule))];
  };

  it('stands ready for every rule', () => {
    expect(foldersOf(planted).filter(rule => rule !== 'control')).toEqual(Object.keys(policies).sort());
  });

  it.each(cases.filter(({ rule }) => rule !== 'control'))('fails $rule alone: $what', ({ rule, tree }) => {
    expect(brokenIn(tree)).toEqual([rule]);
  });

  it.each(cases.filter(({ rule }) => rule === 'control'))('is told from a $what', ({ tree }) => {
    expect(brokenIn(tree)).toEqual([]);
  });
});
