import { ValidationPipe } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Exclude, Expose, Transform, Type } from 'class-transformer';
import { getMetadataStorage, IsString, ValidateNested } from 'class-validator';
import fc from 'fast-check';
import { apiDocument } from '../../src/api-document.js';
import { newId } from '../../src/kernel/ids.js';
import { CompiledShapes } from '../../src/platform/schemas/compiled-shape.js';
import { exceedsDepth, hasNativeKeys } from '../../src/platform/schemas/field-rules.js';
import type { JsonObject } from '../../src/platform/schemas/json.js';
import { hostileBody, hostileValue, toJsonText } from '../support/hostile.js';
import { previewApp } from '../support/preview.js';

/** Set HOSTILE_SEED to repeat a run. */
const SEED = Number(process.env.HOSTILE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS_PER_CLASS = Number(process.env.HOSTILE_RUNS ?? 25);

interface ClassRef {
  new (): object;
  name: string;
}

let bodies: ClassRef[];
let queries: ClassRef[];
let schemas: Record<string, JsonObject>;
beforeAll(async () => {
  const app = await previewApp();
  schemas = apiDocument(app).components.schemas;
  bodies = parameterClasses(app.get(ModulesContainer), 3);
  queries = parameterClasses(app.get(ModulesContainer), 4);
  await app.close();
});

/** Classes that handlers take as this kind of Nest parameter: 3 is a body, 4 a query. */
function parameterClasses(modules: ModulesContainer, kind: number): ClassRef[] {
  const found = new Set<ClassRef>();
  for (const { metatype } of [...modules.values()].flatMap(module => [...module.controllers.values()])) {
    const prototype = (metatype as ClassRef).prototype as object;
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const args = (Reflect.getMetadata('__routeArguments__', metatype as ClassRef, name) ?? {}) as object;
      const types = (Reflect.getMetadata('design:paramtypes', prototype, name) ?? []) as ClassRef[];
      for (const key of Object.keys(args)) {
        const [of, index] = key.split(':').map(Number);
        const type = types[index ?? -1];
        if (of === kind && type && !([Object, String] as unknown[]).includes(type)) found.add(type);
      }
    }
  }
  return [...found];
}

const libraries = new ValidationPipe({ transform: true, whitelist: true, forbidUnknownValues: false });

/** Result of class-validator and class-transformer; null if they reject the value. */
async function transformWithLibraries(
  type: ClassRef,
  value: unknown,
  source: 'body' | 'query',
): Promise<object | null> {
  const read = libraries.transform(structuredClone(value), { type: source, metatype: type });
  return read.catch(() => null) as Promise<object | null>;
}

/** A query with these names, as express parses it. */
function query(type: ClassRef): fc.Arbitrary<unknown> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const text = fc.oneof(
    fc.constantFrom('1', '50', '-1', '1e3', '', 'open', 'me', 'none', 'created', '2026-01-01T00:00:00Z', newId()),
    fc.string({ maxLength: 10 }),
  );
  const names = [...new Set(rules.map(({ propertyName }) => propertyName)), 'unknown'];
  return fc.dictionary(fc.constantFrom(...names), fc.oneof({ weight: 6, arbitrary: text }, fc.array(text)), {
    maxKeys: 4,
  });
}

describe('Compiled request shapes', () => {
  it('Every body and query of every route has a compiled shape.', () => {
    const shapes = new CompiledShapes();
    expect(bodies.length).toBeGreaterThan(25);
    expect(queries.length).toBeGreaterThan(5);
    expect([...bodies, ...queries].filter(type => !shapes.isCompiled(type)).map(({ name }) => name)).toEqual([]);
  });

  it('Compiled shapes accept, reject and transform the same values as class-validator and class-transformer.', async () => {
    const shapes = new CompiledShapes();
    let taken = 0;
    let refused = 0;
    for (const type of [...bodies, ...queries]) {
      const source = queries.includes(type) ? 'query' : 'body';
      const known = { fields: {}, ids: [newId()] };
      const values =
        source === 'query'
          ? query(type)
          : fc.oneof(
              { weight: 9, arbitrary: hostileBody(schemas[type.name] ?? {}, schemas, known) },
              { weight: 1, arbitrary: hostileValue },
            );
      await fc.assert(
        fc.asyncProperty(values, async thrown => {
          const value: unknown = JSON.parse(toJsonText(thrown));
          fc.pre(typeof value === 'object' && value !== null && !Array.isArray(value));
          fc.pre(!exceedsDepth(value, 32) && !hasNativeKeys(value));
          const expected = await transformWithLibraries(type, value, source);
          const before = JSON.stringify(value);
          const read = shapes.read(type, value);
          expect(read).toEqual(expected);
          expect(read?.constructor).toBe(expected?.constructor);
          expect(JSON.stringify(value)).toBe(before);
          if (read) taken += 1;
          else refused += 1;
        }),
        { seed: SEED, numRuns: RUNS_PER_CLASS },
      );
    }
    expect(Math.min(taken, refused)).toBeGreaterThan(bodies.length * 5);
  });

  it('Compiled shapes leave anything but an object to the libraries.', () => {
    const shapes = new CompiledShapes();
    const [type] = bodies;
    for (const value of [undefined, null, [], [{}], 'text', 1, true]) expect(shapes.read(type, value)).toBeNull();
    for (const none of [undefined, null, Object, String, Array, {}, class Bare {}])
      expect(shapes.read(none, { a: 1 })).toBeNull();
  });
});

class Inner {
  @IsString() name!: string;
}
class Exposed {
  @Expose({ name: 'other' }) @IsString() name!: string;
}
class Excluded {
  @Exclude() @IsString() name!: string;
}
class Versioned {
  @Transform(({ value }) => value as string, { since: 2 }) @IsString() name!: string;
}
class Grouped {
  @IsString({ groups: ['some'] }) name!: string;
}
class Conditional {
  @IsString({ validateIf: () => false }) name!: string;
}
class Untyped {
  @ValidateNested() inner!: Inner;
}
class Unchecked {
  @Type(() => Inner) @IsString() inner!: Inner;
}
class Itself {
  @Type(() => Itself) @ValidateNested() inner!: object;
}
class WithMethod {
  @IsString() name!: string;
  shout(): string {
    return this.name.toUpperCase();
  }
}

describe('Shapes that cannot be compiled', () => {
  it.each([
    [Exposed],
    [Excluded],
    [Versioned],
    [Grouped],
    [Conditional],
    [Untyped],
    [Unchecked],
    [Itself],
    [WithMethod],
  ])('%p uses a feature without compiled support and is left to the libraries.', type => {
    const shapes = new CompiledShapes();
    expect([shapes.isCompiled(Inner), shapes.isCompiled(type)]).toEqual([true, false]);
    expect(shapes.read(type, { name: 'x' })).toBeNull();
  });

  it('A compiled shape does not take a promise of a validator as its result.', () => {
    class Patient {
      @IsString() name!: string;
    }
    const [rule] = getMetadataStorage().getTargetValidationMetadatas(Patient, '', false, false);
    const [constraint] = getMetadataStorage().getTargetValidatorConstraints(rule?.constraintCls ?? Object);
    Object.defineProperty(constraint, 'instance', { value: { validate: () => Promise.resolve(false) } });
    expect(new CompiledShapes().read(Patient, { name: 'x' })).toBeNull();
  });
});
