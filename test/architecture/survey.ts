import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import ts from 'typescript';
import { domainTexts } from './domain-words.js';
import { wrongProviderNames } from './provider-names.js';
import { controller, emptyNames, importRules, suffixes, table, type Orders, type RuleName } from './rules.js';

export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

export interface Survey {
  /** Every file read, so that a test can tell a clean project from an empty one. */
  seen: string[];
  violations: Violation[];
}

export interface Violation {
  rule: RuleName;
  /** File or folder that breaks the rule, relative to the project root. */
  at: string;
  /** The forbidden import, or the reason why the name is refused. */
  because: string;
}

/**
 * Checks `trees`: folders with `src/` and maybe `clients/`, relative to the project root ('' for the project itself).
 * `treesPattern` matches the path prefix of all of them.
 */
export async function survey(trees: string[], orders: Orders, treesPattern = '^'): Promise<Survey> {
  const folders = trees.flatMap(tree => ['src', 'clients'].map(room => join(tree, room)));
  const result = await cruiseOver(folders.filter(inProject), orders, treesPattern);
  const imports = result.summary.violations.map(found => ({
    rule: found.rule.name as RuleName,
    at: found.from,
    because: found.cycle ? found.cycle.map(step => step.name).join(' → ') : found.to,
  }));
  const files = trees.flatMap(tree => [
    ...unlisted(tree, 'platform', orders.platform),
    ...unlisted(tree, 'modules', orders.modules),
    ...environmentReaders(tree),
    ...domainNouns(tree),
    ...badNames(tree),
    ...badProviderNames(tree),
  ]);
  return {
    seen: result.modules.map(({ source }) => source),
    violations: [...imports, ...tablesBehindOneFile(result), ...files],
  };
}

async function cruiseOver(folders: string[], orders: Orders, root: string): Promise<ICruiseResult> {
  const { output } = await cruise(folders, {
    baseDir: projectRoot,
    validate: true,
    ruleSet: { forbidden: importRules(orders, root) },
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules/', '/dist/'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  });
  return output as ICruiseResult;
}

/** Finds controller → schema (or another file of the module) → entity. Stops at services. */
function tablesBehindOneFile({ modules }: ICruiseResult): Violation[] {
  const importsOf = new Map(modules.map(({ source, dependencies }) => [source, dependencies.map(to => to.resolved)]));
  const moduleOf = (file: string) => /^(.*src\/modules\/[^/]+)\//.exec(file)?.[1];
  return [...importsOf.keys()]
    .filter(file => controller.test(file) && moduleOf(file))
    .flatMap(controllerFile =>
      (importsOf.get(controllerFile) ?? [])
        .filter(
          file => moduleOf(file) === moduleOf(controllerFile) && !file.endsWith('.service.ts') && !table.test(file),
        )
        .flatMap(between =>
          (importsOf.get(between) ?? [])
            .filter(file => table.test(file))
            .map(file => ({
              rule: 'controllers-import-no-table' as const,
              at: controllerFile,
              because: `${between} → ${file}`,
            })),
        ),
    );
}

function unlisted(tree: string, layer: keyof Orders, order: readonly string[]): Violation[] {
  const folder = join(tree, 'src', layer);
  if (!inProject(folder)) return [];
  return readdirSync(join(projectRoot, folder))
    .filter(name => name !== 'order.json' && !order.includes(name))
    .map(name => ({
      rule: layer === 'modules' ? 'every-module-is-listed' : 'every-platform-folder-is-listed',
      at: join(folder, name),
      because: 'not in order.json',
    }));
}

function environmentReaders(tree: string): Violation[] {
  return filesUnder(join(tree, 'src'))
    .filter(file => file.endsWith('.ts') && !file.startsWith(join(tree, 'src/config/')))
    .filter(file => readsEnvironment(readFileSync(join(projectRoot, file), 'utf8')))
    .map(file => ({ rule: 'environment-only-in-config', at: file, because: 'reads process.env' }));
}

/** Uses the syntax tree: comments may mention `process.env`, and code may hide it in a destructuring. */
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

function domainNouns(tree: string): Violation[] {
  const platform = join(tree, 'src/platform/');
  return filesUnder(platform)
    .filter(file => file.endsWith('.ts') && !file.startsWith(join(platform, 'database/migrations/')))
    .flatMap(file =>
      domainTexts(file.slice(platform.length), readFileSync(join(projectRoot, file), 'utf8')).map(because => ({
        rule: 'platform-knows-no-domain',
        at: file,
        because,
      })),
    );
}

const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/;

function badNames(tree: string): Violation[] {
  const files = filesUnder(join(tree, 'src'));
  const folders = new Set(files.map(file => dirname(file)).flatMap(path => ancestorsBelow(tree, path)));
  const badFolders = [...folders]
    .filter(path => !kebab.test(basename(path)) || emptyNames.test(basename(path)))
    .map(path => ({ at: path, because: 'folder names are kebab-case and describe their content' }));
  const badFiles = files
    .filter(file => file.endsWith('.ts'))
    .map(file => ({ at: file, because: nameProblem(file, files) }))
    .filter(({ because }) => because !== '');
  return [...badFolders, ...badFiles].map(found => ({ rule: 'names-from-the-closed-list', ...found }));
}

function badProviderNames(tree: string): Violation[] {
  return filesUnder(join(tree, 'src'))
    .filter(file => file.endsWith('.ts'))
    .flatMap(file =>
      wrongProviderNames(file, readFileSync(join(projectRoot, file), 'utf8')).map(because => ({
        rule: 'providers-name-their-role',
        at: file,
        because,
      })),
    );
}

/** `path` and its parent folders below `tree`. */
function ancestorsBelow(tree: string, path: string): string[] {
  const above = dirname(path);
  return above === '.' || above === tree ? [path] : [path, ...ancestorsBelow(tree, above)];
}

/** Reason why a TypeScript file's name is refused, or ''. `a.b.ts` is an adapter if its port `a.ts` exists. */
function nameProblem(file: string, files: string[]): string {
  const segments = basename(file)
    .replace(/(\.d)?\.ts$/, '')
    .split('.');
  const [noun] = segments;
  if (!segments.every(part => kebab.test(part))) return 'not kebab-case';
  if (segments.some(part => emptyNames.test(part))) return 'does not describe its content';
  if (segments.length === 1 || suffixes.includes(segments.at(-1)!)) return '';
  if (segments.length === 2 && files.includes(join(dirname(file), `${noun}.ts`))) return '';
  return `.${segments.at(-1)} is no allowed suffix, and there is no port ${noun}.ts`;
}

const inProject = (path: string) => existsSync(join(projectRoot, path));

/** Files of a folder, relative to the project root; none if it does not exist. */
function filesUnder(folder: string): string[] {
  if (!inProject(folder)) return [];
  return readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.startsWith('.'))
    .map(entry => join(entry.parentPath, entry.name).slice(projectRoot.length + 1));
}
