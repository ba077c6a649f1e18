import type { IForbiddenRuleType } from 'dependency-cruiser';

/**
 * The architecture, as rules that a machine checks. Each name is also a folder in `planted/`, which holds the
 * violations that prove the rule bites: a rule that nobody has seen fail is no rule.
 */
export const policies = {
  'no-circles': 'there are no import circles anywhere, not even of types',
  'kernel-imports-only-kernel-and-node': 'kernel imports only kernel and node',
  'platform-never-imports-modules': 'config and platform never import a module or the app',
  'modules-import-only-leftwards': 'a module imports only what stands left of it in the order',
  'every-module-stands-in-the-order': 'every folder of modules stands in the order',
  'only-the-front-door': 'across modules there is only the front door, index.ts',
  'front-door-shows-no-table': 'a front door shows no entity, repository, schema or controller',
  'sql-in-repositories-alone': 'only entities, repositories and platform/database speak SQL or TypeORM',
  'services-know-no-transport':
    'services, repositories, entities, events, errors and pure nouns know no HTTP and no socket',
  'controllers-import-no-table': 'controllers and gateways import no entity or repository, nor through a file between',
  'environment-in-config-alone': 'process.env is read in config alone',
  'names-from-the-closed-list': 'files and folders are kebab-case and take their suffix from the closed list',
  'server-and-clients-apart': 'the server and its clients import nothing of one another',
} as const;

export type RuleName = keyof typeof policies;

/** Suffixes a file may carry; anything else is a bare noun. */
export const suffixes =
  'module controller service repository entity schema events errors gateway guard strategy interceptor filter adapter decorator job consumer worker listener store policy registry spec factory'.split(
    ' ',
  );

/** Names that say nothing about what is inside. */
export const emptyNames = /^(helpers?|utils?|managers?|common|types|.+-(helpers?|utils?|managers?))$/;

/** The doors of a module: the files that speak HTTP or a socket. */
export const controller = /\.(controller|gateway)\.ts$/;
/** What a door must not know: rows and the questions asked of them. */
export const table = /\.(entity|repository)\.ts$/;

/** A package by its name, whether it resolves into node_modules, to its types alone, or not at all. */
const packages = (...names: string[]) =>
  names.flatMap(name => [`^${name}(/|$)`, `(^|/)node_modules/${name}/`, `(^|/)node_modules/@types/${name}/`]);

const sql = packages('typeorm', '@nestjs/typeorm', 'pg', 'pg-(pool|cursor|query-stream|copy-streams|protocol|types)');
const http = packages('express', 'express-[a-z-]+', '@nestjs/platform-express', '@nestjs/swagger');
const socket = packages('ws', '@nestjs/platform-(ws|socket\\.io)', '@nestjs/websockets');

/**
 * Those rules that speak of single imports, for dependency-cruiser. `order` is the list of modules from left to right;
 * `root` is a regular expression for what stands before `src/` (no capturing groups), `^` for the project itself.
 * What cannot be said in this language (names, `process.env`, a way of two steps) is in survey.ts.
 */
export function importRules(order: readonly string[], root = '^'): IForbiddenRuleType[] {
  const src = `${root}src/`;
  const modules = `${src}modules/`;
  const low = `${src}(?:kernel|config|platform)/`;
  const frontDoor = `${modules}[^/]+/index\\.ts$`;

  const rules: [RuleName, Partial<IForbiddenRuleType>][] = [
    ['no-circles', { from: { path: root }, to: { circular: true } }],

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

    ...order.map((name, place): [RuleName, Partial<IForbiddenRuleType>] => [
      'modules-import-only-leftwards',
      {
        from: { path: `${modules}${name}/` },
        to: { path: src, pathNot: [low, `${modules}(?:${order.slice(0, place + 1).join('|')})/`] },
      },
    ]),

    [
      'only-the-front-door',
      {
        from: { path: `${modules}([^/]+)/` },
        to: { path: modules, pathNot: [`${modules}$1/`, frontDoor] },
      },
    ],
    [
      'only-the-front-door',
      {
        // The composition root and the programs beside it bind what lies behind the doors.
        from: {
          path: src,
          pathNot: [low, modules, `${src}bin/`, `${src}(?:app\\.module|entities|api-document)\\.ts$`],
        },
        to: { path: modules, pathNot: [frontDoor, `${modules}order\\.json$`] },
      },
    ],
    [
      'only-the-front-door',
      { from: { path: `${src}entities\\.ts$` }, to: { path: modules, pathNot: [frontDoor, '\\.entity\\.ts$'] } },
    ],

    [
      'front-door-shows-no-table',
      { from: { path: frontDoor }, to: { path: '\\.(?:entity|repository|schema|controller|gateway)\\.ts$' } },
    ],
    [
      // Or a service passes its table through the door under its own name.
      'front-door-shows-no-table',
      { from: { path: modules, pathNot: frontDoor }, to: { path: table.source, dependencyTypes: ['export'] } },
    ],

    [
      'sql-in-repositories-alone',
      {
        from: { path: src, pathNot: [table.source, `${src}platform/database/`, `${src}entities\\.ts$`] },
        to: { path: sql },
      },
    ],
    [
      // Or platform/database hands the driver on to everyone.
      'sql-in-repositories-alone',
      { from: { path: src }, to: { path: sql, dependencyTypes: ['export'] } },
    ],

    ...transportRules(src),

    ['controllers-import-no-table', { from: { path: [`${src}.*${controller.source}`] }, to: { path: table.source } }],

    [
      'server-and-clients-apart',
      { from: { path: src, pathNot: `${src}bin/demo/` }, to: { path: `${root}(?:clients|test|bench)/` } },
    ],
    [
      // The demo plays the service's users, with what they have: the SDK.
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
        to: { path: `${root}(?:src|test|bench|clients)/`, pathNot: `${root}clients/(?:$1|sdk)/` },
      },
    ],
  ];

  return rules.map(
    ([name, rule]) => ({ severity: 'error', comment: policies[name], ...rule, name }) as IForbiddenRuleType,
  );
}

/** Rule 7. A bare noun is a file without suffix; realtime is the echo that speaks sockets, in its services alone. */
function transportRules(src: string): [RuleName, Partial<IForbiddenRuleType>][] {
  const suffixed = '\\.(?:service|job|consumer|worker|listener|repository|entity|events|errors)\\.ts$';
  const noun = '/(?!index\\.ts$)[^/.]+\\.ts$';
  const talker = `${src}modules/realtime/.*\\.service\\.ts$`;
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
        from: { path: from, pathNot: [`${src}platform/(?:http|sockets)/`, talker] },
        to: { path: [`${src}platform/sockets/`, ...socket] },
      },
    ],
  ];
}
