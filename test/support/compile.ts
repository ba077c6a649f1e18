import { resolve } from 'node:path';
import ts from 'typescript';

/** The SDK's sources, under the names that a program imports. */
const SDK = {
  '@support-chat/sdk': [resolve('clients/sdk/src/index.ts')],
  '@support-chat/sdk/webhooks': [resolve('clients/sdk/src/webhooks.ts')],
};

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  skipLibCheck: true,
  noEmit: true,
  paths: SDK,
};

/**
 * Compiles TypeScript programs that use the SDK. Returns one list of errors per program, each as `<line>: <message>`.
 * Compiles all programs at once, which takes hardly longer than one.
 */
export function compileWithSdk(programs: readonly string[]): string[][] {
  const files = new Map(programs.map((text, index) => [resolve(`clients/sdk/program-${index}.mts`), text]));
  const host = ts.createCompilerHost(OPTIONS);
  const onDisk = { exists: host.fileExists.bind(host), read: host.getSourceFile.bind(host) };
  host.fileExists = name => files.has(name) || onDisk.exists(name);
  host.getSourceFile = (name, language, ...rest) => {
    const text = files.get(name);
    return text === undefined ? onDisk.read(name, language, ...rest) : ts.createSourceFile(name, text, language);
  };
  const program = ts.createProgram([...files.keys()], OPTIONS, host);
  return [...files.keys()].map(name => {
    const file = program.getSourceFile(name);
    return ts.getPreEmitDiagnostics(program, file).map(({ messageText, start = 0 }) => {
      const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
      return `${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  });
}
