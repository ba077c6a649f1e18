import { createRequire } from 'node:module';
import type { ValidationArguments } from 'class-validator';
import { getMetadataStorage } from 'class-validator';

type ClassRef = new () => object;
type Plain = Record<string, unknown>;

interface Field {
  name: string;
  transforms: ((value: unknown, from: object) => unknown)[];
  /** Conditions that must all hold for the rules to apply. */
  applies: ((object: object, value: unknown) => unknown)[];
  rules: ((object: object, value: unknown) => boolean)[];
  /** The shape of an object in this field, or of each item of a list. */
  nested: Shape | undefined;
}

interface Shape {
  type: ClassRef;
  fields: Field[];
}

/**
 * A fast path for validation. It caches the decorator metadata of a class, which class-validator and class-transformer
 * look up and sort for every request, at most of the cost of validation.
 *
 * It accepts valid values only, with the functions that the libraries would call. Every other value goes to the
 * libraries, which report the faults; so does every value of a class with decorators that are not supported here.
 * `test/platform/compiled-shape.spec.ts` compares both ways for every shape that a route accepts.
 */
export class CompiledShapes {
  private readonly known = new Map<unknown, Shape | null>();

  /**
   * Validates and converts a value. The value must not contain native keys: see `hasNativeKeys`.
   * @returns an instance of the class; null when the libraries must validate the value
   */
  read(type: unknown, value: unknown): object | null {
    const shape = this.shapeFor(type);
    return shape && isPlain(value) ? instance(shape, value) : null;
  }

  /** Tells whether the fast path supports the class. */
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

/** The part of class-transformer's internal metadata storage that is used here. */
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

/** class-transformer's `TransformationType.PLAIN_TO_CLASS`. */
const PLAIN_TO_CLASS = 0;

/** @returns undefined when the library's version has it in another file; then nothing is compiled */
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

/** Thrown for a class with unsupported decorators. */
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
  // recursive shapes are unsupported; so are classes with methods, which class-transformer handles specially
  if (!plain || within.includes(type) || hasMethods(type.prototype as object)) throw new NotCompiled();
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  // a class without rules is not one of our bodies or queries: Nest passes its values on unchanged
  if (rules.length === 0) throw new NotCompiled();
  const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
  const rulesFor = (name: string) => rules.filter(({ propertyName }) => propertyName === name);
  return { type, fields: names.map(name => fieldOf(type, name, rulesFor(name), [...within, type])) };
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

/** Only the result `true` counts as valid; a promise does not. */
function rulesOf(type: ClassRef, { constraintCls, constraints, propertyName, each }: Rules[number]): Field['rules'] {
  return getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }) => {
      const isValid = (object: object, whole: unknown, value: unknown): boolean => {
        const parameters: ValidationArguments = {
          targetName: type.name,
          property: propertyName,
          object,
          value: whole,
          constraints,
        };
        return instance.validate(value, parameters) === true;
      };
      return (object, value) =>
        each && Array.isArray(value)
          ? value.every(item => isValid(object, value, item))
          : isValid(object, value, value);
    });
}
