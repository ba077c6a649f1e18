import { ESLint } from 'eslint';
import ts from 'typescript';

/**
 * `node test/architecture/lint-and-types.js tsconfig.json file…` runs what `npm run types` and `npm run lint` check for
 * a program and some of its files. It takes half the time, because ESLint reuses the checked program.
 */
const [project, ...files] = process.argv.slice(2);
const root = ts.sys.getCurrentDirectory();
const { options, fileNames } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(project, ts.sys.readFile).config,
  ts.sys,
  root,
);
const program = ts.createProgram(fileNames, options);
const wrong = ts.getPreEmitDiagnostics(program);
process.stdout.write(
  ts.formatDiagnostics(wrong, {
    getCanonicalFileName: name => name,
    getCurrentDirectory: () => root,
    getNewLine: () => '\n',
  }),
);

const parserOptions = { projectService: false, programs: [program] };
const eslint = new ESLint({ overrideConfig: { files: ['**/*.ts'], languageOptions: { parserOptions } } });
const results = await eslint.lintFiles(files);
process.stdout.write(await (await eslint.loadFormatter('stylish')).format(results));
process.exitCode = wrong.length + results.flatMap(({ messages }) => messages).length === 0 ? 0 : 1;
