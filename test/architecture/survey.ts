import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import ts from 'typescript';
import { controller, emptyNames, importRules, suffixes, table, type RuleName } from './rules.js';

export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export interface Survey {
  /** Every file that was read, so that a test can tell a clean house from an empty one. */
  seen: string[];
  violations: Violation[];
}

export interface Violation {
  rule: RuleName;
  /** The file or folder that breaks the rule, from the project's root. */
  at: string;
  /** What it should not import, or why its name is refused. */
  because: string;
}

/**
 * Reads `trees`: folders that each hold a `src/` (and maybe `clients/`), given from the project's root, ''
 * for the project itself. `treesPattern` matches them all, as the prefix of a path.
 */
export async function survey(trees: string[], order: readonly string[], treesPattern = '^'): Promise<Survey> {
  const rooms = trees.flatMap(tree => ['src', 'clients'].map(room => join(tree, room)));
  const result = await cruiseOver(rooms.filter(inProject), order, treesPattern);
  const imports = result.summary.violations.map(found => ({
    rule: found.rule.name as RuleName,
    at: found.from,
    because: found.cycle ? found.cycle.map(step => step.name).join(' → ') : found.to,
  }));
  const files = trees.flatMap(tree => [...strangers(tree, order), ...environmentReaders(tree), ...badNames(tree)]);
  return {
    seen: result.modules.map(({ source }) => source),
    violations: [...imports, ...tablesBehindOneFile(result), ...files],
  };
}

async function cruiseOver(rooms: string[], order: readonly string[], root: string): Promise<ICruiseResult> {
  const { output } = await cruise(rooms, {
    baseDir: projectRoot,
    validate: true,
    ruleSet: { forbidden: importRules(order, root) },
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules/', '/dist/'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  });
  return output as ICruiseResult;
}

/** controller → schema (or any file of the module that is no service) → entity. A service is where the way ends. */
function tablesBehindOneFile({ modules }: ICruiseResult): Violation[] {
  const importsOf = new Map(modules.map(({ source, dependencies }) => [source, dependencies.map(to => to.resolved)]));
  const moduleOf = (file: string) => /^(.*src\/modules\/[^/]+)\//.exec(file)?.[1];
  return [...importsOf.keys()]
    .filter(file => controller.test(file) && moduleOf(file))
    .flatMap(door =>
      (importsOf.get(door) ?? [])
        .filter(file => moduleOf(file) === moduleOf(door) && !file.endsWith('.service.ts') && !table.test(file))
        .flatMap(between =>
          (importsOf.get(between) ?? [])
            .filter(file => table.test(file))
            .map(file => ({ rule: 'controllers-import-no-table' as const, at: door, because: `${between} → ${file}` })),
        ),
    );
}

function strangers(tree: string, order: readonly string[]): Violation[] {
  const folder = join(tree, 'src/modules');
  if (!inProject(folder)) return [];
  return readdirSync(join(projectRoot, folder))
    .filter(name => name !== 'order.json' && !order.includes(name))
    .map(name => ({
      rule: 'every-module-stands-in-the-order',
      at: join(folder, name),
      because: 'not in order.json',
    }));
}

function environmentReaders(tree: string): Violation[] {
  return filesUnder(join(tree, 'src'))
    .filter(file => file.endsWith('.ts') && !file.startsWith(join(tree, 'src/config/')))
    .filter(file => readsEnvironment(readFileSync(join(projectRoot, file), 'utf8')))
    .map(file => ({ rule: 'environment-in-config-alone', at: file, because: 'reads process.env' }));
}

/** Reads the syntax tree, because comments may speak of `process.env` and code may hide it in a destructuring. */
function readsEnvironment(text: string): boolean {
  if (!/\benv\b/.test(text)) return false;
  const isProcess = (node: ts.Node | undefined) => !!node && /^(globalThis\.)?process$/.test(node.getText());
  const visit = (node: ts.Node): boolean =>
    (ts.isPropertyAccessExpression(node) && isProcess(node.expression) && node.name.text === 'env') ||
    (ts.isElementAccessExpression(node) &&
      isProcess(node.expression) &&
      /^['"`]env['"`]$/.test(node.argumentExpression.getText())) ||
    (ts.isVariableDeclaration(node) && isProcess(node.initializer) && /\benv\b/.test(node.name.getText())) ||
    (ts.isImportDeclaration(node) &&
      /^.(node:)?process.$/.test(node.moduleSpecifier.getText()) &&
      /\benv\b/.test(node.importClause?.getText() ?? '')) ||
    (ts.forEachChild(node, visit) ?? false);
  return visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true));
}

const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/;

function badNames(tree: string): Violation[] {
  const files = filesUnder(join(tree, 'src'));
  const folders = new Set(files.map(file => dirname(file)).flatMap(path => ancestorsBelow(tree, path)));
  const badFolders = [...folders]
    .filter(path => !kebab.test(basename(path)) || emptyNames.test(basename(path)))
    .map(path => ({ at: path, because: 'a folder is named in kebab-case after what is inside' }));
  const badFiles = files
    .filter(file => file.endsWith('.ts'))
    .map(file => ({ at: file, because: refusal(file, files) }))
    .filter(({ because }) => because !== '');
  return [...badFolders, ...badFiles].map(found => ({ rule: 'names-from-the-closed-list', ...found }));
}

/** `path` and the folders it lies in, up to but without `tree`. */
function ancestorsBelow(tree: string, path: string): string[] {
  const above = dirname(path);
  return above === '.' || above === tree ? [path] : [path, ...ancestorsBelow(tree, above)];
}

/** Why a TypeScript file may not be called so, or ''. `a.b.ts` is an adapter when the port `a.ts` stands beside it. */
function refusal(file: string, files: string[]): string {
  const parts = basename(file)
    .replace(/(\.d)?\.ts$/, '')
    .split('.');
  const [noun] = parts;
  if (!parts.every(part => kebab.test(part))) return 'not kebab-case';
  if (parts.some(part => emptyNames.test(part))) return 'says nothing about what is inside';
  if (parts.length === 1 || suffixes.includes(parts.at(-1)!)) return '';
  if (parts.length === 2 && files.includes(join(dirname(file), `${noun}.ts`))) return '';
  return `.${parts.at(-1)} is no suffix of ours, and there is no port ${noun}.ts beside it`;
}

const inProject = (path: string) => existsSync(join(projectRoot, path));

/** Files, with their path from the project's root; none when there is no such folder. */
function filesUnder(folder: string): string[] {
  if (!inProject(folder)) return [];
  return readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.startsWith('.'))
    .map(entry => join(entry.parentPath, entry.name).slice(projectRoot.length + 1));
}
