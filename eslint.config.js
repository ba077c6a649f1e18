import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import plainLanguage from './lint/plain-language.js';

/**
 * Lint looks for mistakes that types and tests let through; how code looks is prettier's, what imports what is
 * test/architecture's. `@typescript-eslint/consistent-type-imports` stays off: Nest injects by the value of a
 * constructor's type, so its fix would cut injected classes out of the program.
 */

const fromConfig = 'Take it from Config: the environment is read and validated in src/config alone.';

const environment = {
  'no-restricted-properties': ['error', { object: 'process', property: 'env', message: fromConfig }],
  'no-restricted-syntax': [
    'error',
    { selector: "MemberExpression[property.name='env'][object.property.name='process']", message: fromConfig },
  ],
};
const environmentImports = ['node:process', 'process'].map(name => ({
  name,
  importNames: ['env'],
  message: fromConfig,
}));

export default defineConfig(
  globalIgnores([
    'dist/',
    '.data/',
    'coverage/',
    'docs/generated/',
    'test/architecture/planted/',
    'clients/*/dist/',
    '**/generated/**',
    '**/*.d.ts',
  ]),
  {
    files: ['{src,test,bench,clients}/**/*.{ts,tsx}', 'ormconfig.ts'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // Promises: forgotten, misplaced, or caught where nobody waits for them.
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',

      // Cases: a written `default` is a decision, a missing case is not.
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'no-fallthrough': 'error',

      // Types that say nothing, sorts that put 10 before 9.
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-empty-object-type': 'error',
      '@typescript-eslint/require-array-sort-compare': ['error', { ignoreStringArrays: true }],
      '@typescript-eslint/ban-ts-comment': 'error',

      '@typescript-eslint/no-unused-vars': [
        'error',
        {
          argsIgnorePattern: '^_',
          varsIgnorePattern: '^_',
          caughtErrorsIgnorePattern: '^_',
          destructuredArrayIgnorePattern: '^_',
          ignoreRestSiblings: true,
        },
      ],
      'no-var': 'error',
      'prefer-const': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-self-compare': 'error',
      'no-unsafe-finally': 'error',
      'no-async-promise-executor': 'error',
      'no-template-curly-in-string': 'error',
    },
  },
  {
    files: ['{src,clients/dashboard,clients/widget,clients/ui}/**/*.{ts,tsx}'],
    rules: {
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['src/**/*.ts'], rules: { 'no-console': 'error' } },
  {
    files: ['src/**/*.ts', 'ormconfig.ts'],
    ignores: ['src/config/**'],
    rules: { ...environment, 'no-restricted-imports': ['error', { paths: environmentImports }] },
  },
  {
    // The other half of "services know no HTTP", which import rules between files cannot see.
    files: [
      'src/{kernel,modules}/**/*.{service,repository,entity,events,errors}.ts',
      'src/{kernel,modules}/**/+([a-z0-9-]).ts',
    ],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: environmentImports,
          patterns: [
            {
              group: ['@nestjs/common'],
              importNamePattern: '^Http|Exception$',
              message: 'Throw a DomainError; the HTTP filter and the socket frame translate it.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['{src,test,bench,clients,examples,bin,lint}/**/*.{ts,tsx,js}'],
    ignores: ['src/platform/database/migrations/**', 'lint/words.js'],
    plugins: { language: plainLanguage },
    rules: { 'language/identifiers': 'error', 'language/comments': 'error' },
  },
  {
    files: ['{src,test,clients}/**/*.spec.ts'],
    plugins: { language: plainLanguage },
    rules: { 'language/test-titles': 'error' },
  },
  { files: ['src/bin/**'], rules: { 'no-console': 'off' } },
  { files: ['src/platform/database/migrations/**'], rules: { 'max-lines': 'off' } },
);
