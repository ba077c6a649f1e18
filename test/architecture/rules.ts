import type { IForbiddenRuleType } from 'dependency-cruiser';

/**
 * The architecture rules that a test checks. Each name is also a folder in `planted/` with violations that prove that
 * the rule can fail.
 */
export const policies = {
  'no-import-cycles': 'no import cycles, not even of types',
  'kernel-imports-only-kernel-and-node': 'the kernel imports only the kernel and node',
  'platform-never-imports-modules': 'config and platform import no module and not the app',
  'platform-imports-only-leftwards': 'a platform folder imports only folders before it in order.json',
  'platform-knows-no-domain': 'no string in platform names a noun of the domain',
  'every-platform-folder-is-listed': 'every folder of platform is listed in order.json',
  'modules-import-only-leftwards': 'a module imports only modules before it in order.json',
  'every-module-is-listed': 'every folder of modules is listed in order.json',
  'modules-import-only-index': 'a module is imported only through its index.ts',
  'index-exports-no-table': 'an index.ts exports no entity, repository, schema or controller',
  'sql-only-in-repositories': 'only entities, repositories and platform/database use SQL or TypeORM',
  'services-know-no-transport':
    'services, repositories, entities, events, errors and pure files use no HTTP and no sockets',
  'controllers-import-no-table':
    'controllers and gateways import no entity or repository, not even through another file',
  'environment-only-in-config': 'only config reads process.env',
  'names-from-the-closed-list': 'files and folders are kebab-case with a suffix from the closed list',
  'providers-name-their-role': 'an injectable class ends with a role of the closed list, and its file has its name',
  'server-and-clients-apart': 'the server and its clients do not import each other',
} as const;

export type RuleName = keyof typeof policies;

/** Allowed suffixes; a file without one is a plain noun. */
export const suffixes =
  'module controller service repository entity schema events errors gateway guard strategy interceptor filter adapter decorator job consumer worker listener store policy registry spec factory'.split(
    ' ',
  );

/** Names that do not describe their content. */
export const emptyNames = /^(helpers?|utils?|managers?|common|types|.+-(helpers?|utils?|managers?))$/;

/** Files that use HTTP or sockets. */
export const controller = /\.(controller|gateway)\.ts$/;
/** Files that define tables and queries. */
export const table = /\.(entity|repository)\.ts$/;

/** A package by name, if it resolves into node_modules, to types only, or not at all. */
const packages = (...names: string[]) =>
  names.flatMap(name => [`^${name}(/|$)`, `(^|/)node_modules/${name}/`, `(^|/)node_modules/@types/${name}/`]);

const sql = packages('typeorm', '@nestjs/typeorm', 'pg', 'pg-(pool|cursor|query-stream|copy-streams|protocol|types)');
const http = packages('express', 'express-[a-z-]+', '@nestjs/platform-express', '@nestjs/swagger');
const socket = packages('ws', '@nestjs/platform-(ws|socket\\.io)', '@nestjs/websockets');

/** The names of folders in the order in which they may import each other. */
export interface Orders {
  platform: readonly string[];
  modules: readonly string[];
}

/**
 * Import rules for dependency-cruiser. `orders` lists the folders of platform and the modules; `root` is a regular expression without capturing
 * groups for the path before `src/` (`^` for the project itself). Rules that this language cannot express (names,
 * `process.env`, two-step imports) are in survey.ts.
 */
export function importRules(orders: Orders, root = '^'): IForbiddenRuleType[] {
  const src = `${root}src/`;
  const modules = `${src}modules/`;
  const platform = `${src}platform/`;
  const low = `${src}(?:kernel|config|platform)/`;
  const index = `${modules}[^/]+/index\\.ts$`;

  const rules: [RuleName, Partial<IForbiddenRuleType>][] = [
    ['no-import-cycles', { from: { path: root }, to: { circular: true } }],

    [
      'kernel-imports-only-kernel-and-node',
      {
        from: { path: `${src}kernel/`, pathNot: '\\.spec\\.ts$' },
        to: { pathNot: `${src}kernel/`, dependencyTypesNot: ['core'] },
      },
    ],

    [
      'platform-never-imports-modules',
      { from: { path: `${src}(?:config|platform)/` }, to: { path: src, pathNot: low } },
    ],

    ...orders.platform.map((name, position): [RuleName, Partial<IForbiddenRuleType>] => [
      'platform-imports-only-leftwards',
      {
        from: { path: `${platform}${name}/` },
        to: { path: platform, pathNot: `${platform}(?:${orders.platform.slice(0, position + 1).join('|')})/` },
      },
    ]),

    ...orders.modules.map((name, position): [RuleName, Partial<IForbiddenRuleType>] => [
      'modules-import-only-leftwards',
      {
        from: { path: `${modules}${name}/` },
        to: { path: src, pathNot: [low, `${modules}(?:${orders.modules.slice(0, position + 1).join('|')})/`] },
      },
    ]),

    [
      'modules-import-only-index',
      {
        from: { path: `${modules}([^/]+)/` },
        to: { path: modules, pathNot: [`${modules}$1/`, index] },
      },
    ],
    [
      'modules-import-only-index',
      {
        // Commands, and the reference with its shapes, read the modules' internals.
        from: { path: src, pathNot: [low, modules, `${src}bin/`, `${src}api-document\\.ts$`] },
        to: { path: modules, pathNot: [index, `${modules}order\\.json$`] },
      },
    ],

    [
      'index-exports-no-table',
      { from: { path: index }, to: { path: '\\.(?:entity|repository|schema|controller|gateway)\\.ts$' } },
    ],
    [
      // A service must not re-export its table either.
      'index-exports-no-table',
      { from: { path: modules, pathNot: index }, to: { path: table.source, dependencyTypes: ['export'] } },
    ],

    [
      'sql-only-in-repositories',
      {
        from: { path: src, pathNot: [table.source, `${src}platform/database/`] },
        to: { path: sql },
      },
    ],
    [
      // platform/database must not re-export the driver.
      'sql-only-in-repositories',
      { from: { path: src }, to: { path: sql, dependencyTypes: ['export'] } },
    ],

    ...transportRules(src),

    ['controllers-import-no-table', { from: { path: [`${src}.*${controller.source}`] }, to: { path: table.source } }],

    [
      'server-and-clients-apart',
      { from: { path: src, pathNot: `${src}bin/demo/` }, to: { path: `${root}(?:clients|test|bench)/` } },
    ],
    [
      // The demo acts as the service's users do, through the SDK.
      'server-and-clients-apart',
      {
        from: { path: `${src}bin/demo/` },
        to: { path: `${root}(?:clients|test|bench)/`, pathNot: `${root}clients/sdk/` },
      },
    ],
    [
      'server-and-clients-apart',
      {
        from: { path: `${root}clients/([^/]+)/` },
        to: { path: `${root}(?:src|test|bench|clients)/`, pathNot: `${root}clients/(?:$1|sdk|ui)/` },
      },
    ],
    [
      // Backends use the SDK too, and they draw nothing.
      'server-and-clients-apart',
      { from: { path: `${root}clients/sdk/` }, to: { path: `${root}clients/`, pathNot: `${root}clients/sdk/` } },
    ],
  ];

  return rules.map(
    ([name, rule]) => ({ severity: 'error', comment: policies[name], ...rule, name }) as IForbiddenRuleType,
  );
}

/** No file without a suffix uses HTTP or sockets; of realtime, only services use sockets. */
function transportRules(src: string): [RuleName, Partial<IForbiddenRuleType>][] {
  const suffixed = '\\.(?:service|job|consumer|worker|listener|repository|entity|events|errors)\\.ts$';
  const noun = '/(?!index\\.ts$)[^/.]+\\.ts$';
  const realtimeServices = `${src}modules/realtime/.*\\.service\\.ts$`;
  const from = [`${src}modules/.*${suffixed}`, `${src}modules/.*${noun}`, `${src}platform/.*${suffixed}`];
  return [
    [
      'services-know-no-transport',
      {
        from: { path: from, pathNot: `${src}platform/(?:http|sockets)/` },
        to: { path: [`${src}platform/http/`, ...http] },
      },
    ],
    [
      'services-know-no-transport',
      {
        from: { path: from, pathNot: [`${src}platform/(?:http|sockets)/`, realtimeServices] },
        to: { path: [`${src}platform/sockets/`, ...socket] },
      },
    ],
  ];
}
