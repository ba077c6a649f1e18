import { createRequire } from 'node:module';
import type { ValidationArguments } from 'class-validator';
import { getMetadataStorage } from 'class-validator';

type ClassRef = new () => object;
type Plain = Record<string, unknown>;

interface Field {
  name: string;
  transforms: ((value: unknown, from: object) => unknown)[];
  /** Whether the rules are asked at all. */
  applies: ((object: object, value: unknown) => unknown)[];
  rules: ((object: object, value: unknown) => boolean)[];
  /** What an object here, or each of a list, is to be. */
  nested: Shape | undefined;
}

interface Shape {
  type: ClassRef;
  fields: Field[];
}

/**
 * What the decorators of a class have told class-validator and class-transformer, gathered once: the two look it up and
 * sort it anew for every request, which is most of what validation costs. Good values alone are decided here, by the
 * very functions that the libraries would call; whatever is not plainly good is theirs to refuse or to read, so that
 * every fault is found and told by them. A class that uses what is not known here is left to them altogether.
 * `test/platform/compiled-shape.spec.ts` holds the two against each other, for every shape that a route takes.
 */
export class CompiledShapes {
  private readonly known = new Map<unknown, Shape | null>();

  /**
   * The value as an instance of the class; null where the libraries have to be asked. No key of the value may be one
   * that JavaScript has a meaning for: see `holdsNativeKeys`.
   */
  read(type: unknown, value: unknown): object | null {
    const shape = this.shapeFor(type);
    return shape && isPlain(value) ? instance(shape, value) : null;
  }

  /** Whether values of this class are decided here at all. */
  isCompiled(type: unknown): boolean {
    return this.shapeFor(type) !== null;
  }

  private shapeFor(type: unknown): Shape | null {
    let shape = this.known.get(type);
    if (shape === undefined)
      this.known.set(type, (shape = typeof type === 'function' ? compile(type as ClassRef) : null));
    return shape;
  }
}

function instance(shape: Shape, from: Plain): object | null {
  const made = new shape.type() as Plain;
  for (const { name, transforms, nested } of shape.fields) {
    if (!Object.hasOwn(from, name)) continue;
    let value = from[name];
    if (nested !== undefined && typeof value === 'object' && value !== null) {
      value = Array.isArray(value) ? instances(nested, value) : instance(nested, value as Plain);
      if (value === null) return null;
    }
    for (const transform of transforms) value = transform(value, from);
    made[name] = value;
  }
  return isGood(shape, made) ? made : null;
}

function instances(shape: Shape, from: unknown[]): object[] | null {
  const made: object[] = [];
  for (const item of from) {
    const one = isPlain(item) ? instance(shape, item) : null;
    if (one === null) return null;
    made.push(one);
  }
  return made;
}

function isGood({ fields }: Shape, object: Plain): boolean {
  for (const { name, applies, rules } of fields) {
    const value = object[name];
    if (!applies.every(test => test(object, value))) continue;
    if (!rules.every(test => test(object, value))) return false;
  }
  return true;
}

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is asked of class-transformer's memory of decorators, which it does not show to the outside. */
interface TransformStorage {
  getStrategy(target: unknown): string;
  getExposedProperties(target: unknown, kind: number): string[];
  getExcludedProperties(target: unknown, kind: number): string[];
  findTransformMetadatas(target: unknown, name: string, kind: number): TransformRule[];
  findTypeMetadata(target: unknown, name: string): TypeRule | undefined;
}
interface TransformRule {
  transformFn(parameters: object): unknown;
  options?: object;
}
interface TypeRule {
  typeFunction?: (parameters: object) => unknown;
  options?: object;
}

/** class-transformer's number for making instances of what is plain. */
const PLAIN_TO_CLASS = 0;

/** Undefined where a version of the library keeps it elsewhere: then nothing is compiled. */
function transformStorage(): TransformStorage | undefined {
  try {
    const { defaultMetadataStorage } = createRequire(import.meta.url)('class-transformer/cjs/storage.js') as {
      defaultMetadataStorage?: TransformStorage;
    };
    return defaultMetadataStorage;
  } catch {
    return undefined;
  }
}
const storage = transformStorage();

/** What is not known here: the libraries read it. */
class NotCompiled extends Error {}

function compile(type: ClassRef): Shape | null {
  try {
    return shapeOf(type, []);
  } catch (error) {
    if (error instanceof NotCompiled) return null;
    throw error;
  }
}

function shapeOf(type: ClassRef, within: ClassRef[]): Shape {
  const plain =
    storage?.getStrategy(type) === 'none' &&
    storage.getExposedProperties(type, PLAIN_TO_CLASS).length === 0 &&
    storage.getExcludedProperties(type, PLAIN_TO_CLASS).length === 0;
  // a shape within itself has no end; what has methods, class-transformer copies with care
  if (!plain || within.includes(type) || hasMethods(type.prototype as object)) throw new NotCompiled();
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  // a class without rules is none of ours: Nest hands its values on as they are
  if (rules.length === 0) throw new NotCompiled();
  const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
  const of = (name: string) => rules.filter(({ propertyName }) => propertyName === name);
  return { type, fields: names.map(name => fieldOf(type, name, of(name), [...within, type])) };
}

function hasMethods(prototype: object): boolean {
  for (let at: object | null = prototype; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    if (Object.getOwnPropertyNames(at).some(name => name !== 'constructor')) return true;
  }
  return false;
}

type Rules = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>;

function fieldOf(type: ClassRef, name: string, all: Rules, within: ClassRef[]): Field {
  const field: Field = { name, transforms: [], applies: [], rules: [], nested: undefined };
  for (const rule of all) {
    if (rule.validateIf !== undefined || (rule.groups?.length ?? 0) > 0) throw new NotCompiled();
    if (rule.type === 'conditionalValidation') field.applies.push(rule.constraints[0] as Field['applies'][number]);
    else if (rule.type === 'customValidation') field.rules.push(...rulesOf(type, rule));
    else if (rule.type === 'nestedValidation') field.nested = nestedOf(type, name, within);
    else throw new NotCompiled();
  }
  if (field.nested === undefined && storage?.findTypeMetadata(type, name)) throw new NotCompiled();
  for (const { transformFn, options = {} } of storage?.findTransformMetadatas(type, name, PLAIN_TO_CLASS) ?? []) {
    if (Object.keys(options).length > 0) throw new NotCompiled();
    field.transforms.push((value, obj) => transformFn({ value, key: name, obj, type: PLAIN_TO_CLASS, options: {} }));
  }
  return field;
}

function nestedOf(type: ClassRef, name: string, within: ClassRef[]): Shape {
  const { typeFunction, options = {} } = storage?.findTypeMetadata(type, name) ?? {};
  const nested = typeFunction?.({ newObject: {}, object: {}, property: name });
  if (typeof nested !== 'function' || Object.keys(options).length > 0) throw new NotCompiled();
  return shapeOf(nested as ClassRef, within);
}

/** A rule that answers anything but true, as a promise, has not said yes. */
function rulesOf(type: ClassRef, { constraintCls, constraints, propertyName, each }: Rules[number]): Field['rules'] {
  return getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }) => {
      const asked = (object: object, whole: unknown, value: unknown): boolean => {
        const words: ValidationArguments = {
          targetName: type.name,
          property: propertyName,
          object,
          value: whole,
          constraints,
        };
        return instance.validate(value, words) === true;
      };
      return (object, value) =>
        each && Array.isArray(value) ? value.every(item => asked(object, value, item)) : asked(object, value, value);
    });
}
