import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ApiDocument } from '../../src/platform/openapi/document.js';
import type { JsonObject } from '../../src/platform/schemas/json.js';
import type { Operation } from '../../src/platform/openapi/operation.js';

/** Problems of the API reference, one line each. Empty if an integrator can use the document. */
export function referenceFaults(api: ApiDocument): string[] {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
  return [
    ...headFaults(api),
    ...operations.flatMap(([name, operation]) => operationFaults(api, operation).map(fault => `${name}: ${fault}`)),
    ...exampleFaults(api),
    ...textFaults(api),
  ];
}

function headFaults({ info, servers, tags, externalDocs }: ApiDocument): string[] {
  return [
    ...((info.license as JsonObject | undefined)?.identifier === 'MIT' ? [] : ['no licence']),
    ...(servers.length > 0 ? [] : ['no servers']),
    ...(typeof externalDocs?.url === 'string' ? [] : ['no externalDocs']),
    ...tags.filter(tag => !(tag.description?.length > 20)).map(({ name }) => `the tag ${name} has no description`),
  ];
}

function operationFaults(api: ApiDocument, operation: Operation): string[] {
  const { summary = '', tags = [], parameters = [], security, requestBody } = operation;
  const { public: open } = operation['x-access'] ?? {};
  return [
    ...(summary.length <= 100 ? [] : ['the summary is longer than 100 characters']),
    ...tags.filter(tag => !api.tags.some(({ name }) => name === tag)).map(tag => `the tag ${tag} is not declared`),
    ...parameters.filter(({ description }) => !description).map(({ name }) => `${name} has no description`),
    ...(open && JSON.stringify(security) !== '[]' ? ['public, but lacks security: []'] : []),
    ...(!open && !security?.length ? ['lists no credential'] : []),
    ...(requestBody ? bodyFaults(api, requestBody) : []),
  ];
}

function bodyFaults(api: ApiDocument, { required, content }: NonNullable<Operation['requestBody']>): string[] {
  if (!content['application/json']) return required ? [] : ['the file is not required'];
  const { schema, example } = content['application/json'];
  const name = String(schema?.$ref).replace('#/components/schemas/', '');
  const demanded = ((api.components.schemas[name]?.required ?? []) as string[]).length > 0;
  return [
    ...(required === demanded ? [] : [`the body is ${required ? '' : 'not '}required`]),
    ...(demanded && example === undefined ? ['the body has no example'] : []),
  ];
}

/** Validates every `example` against the schema beside or above it. */
function exampleFaults(api: ApiDocument): string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat('idn-email', true);
  ajv.addSchema({ ...api, $id: 'api' } as object);
  const faults: string[] = [];
  const look = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { example, schema } = value as { example?: unknown; schema?: unknown };
    const named = /\/(properties|schemas|examples?)$/.test(pointer);
    if (example !== undefined && !named) {
      const fits = ajv.validate({ $ref: `api#${pointer}${schema === undefined ? '' : '/schema'}` }, example);
      if (!fits) faults.push(`the example at ${pointer} does not match its schema: ${ajv.errorsText()}`);
    }
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'example' && !named) continue;
      look(inner, `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
    }
  };
  look(api, '');
  return faults;
}

/** Texts without an example, which a page would render as "string". Body examples omit optional texts without one. */
function textFaults(api: ApiDocument): string[] {
  const shown = Object.entries(api.components.schemas).filter(([name]) => /(Body|View)$/.test(name));
  return shown.flatMap(([name, { properties = {}, required = [] }]) =>
    Object.entries(properties as Record<string, JsonObject>)
      .filter(([field]) => name.endsWith('View') || (required as string[]).includes(field))
      .filter(([, { type }]) => [type].flat().includes('string'))
      .filter(([, schema]) => !['example', 'enum', 'const'].some(key => key in schema) && schema.format !== 'uuid')
      .map(([field]) => `${name}.${field} has no example`),
  );
}
