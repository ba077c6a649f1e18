import { basename } from 'node:path';
import ts from 'typescript';

const ROLES =
  /(Controller|Service|Repository|Guard|Strategy|Interceptor|Filter|Adapter|Gateway|Job|Consumer|Worker|Listener|Store|Policy|Registry)$/;

/** Injectable classes that a term of the field names better than a role. */
export const terms =
  /Hooks$|^(?:ConsumerDependencies|EncryptedColumns|HandshakeQueue|IdPipe|PresenceMetadataLoader|RedisClient|SocketHub|UnitOfWork|WatermarkLag|WorkerDependencies)$/;

/** Returns the injectable classes of a file that are not named by their role, or whose file is not named after them. */
export function wrongProviderNames(file: string, source: string): string[] {
  return injectables(source).filter(name => !terms.test(name) && fileOf(name) !== basename(file));
}

/** Returns the names of the classes with `@Injectable()`. */
export function injectables(source: string): string[] {
  if (!source.includes('@Injectable(')) return [];
  return ts
    .createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true)
    .statements.filter(ts.isClassDeclaration)
    .filter(node => ts.getDecorators(node)?.some(({ expression }) => /^Injectable\(/.test(expression.getText())))
    .map(({ name }) => name?.text ?? '');
}

/** `ApiKeyUsageJob` is in `api-key-usage.job.ts`. */
function fileOf(name: string): string {
  const [role] = ROLES.exec(name) ?? [];
  if (role === undefined) return `a file named after the role of ${name}`;
  const noun = name.slice(0, -role.length).replace(/([a-z0-9])([A-Z])/g, '$1-$2');
  return `${noun}.${role}.ts`.toLowerCase();
}
