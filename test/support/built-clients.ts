import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from './service-process.js';

/** Builds the widget if a source is newer than the build. Its SDK must be built: `npm run build:sdk`. */
export function ensureWidgetBuilt(): void {
  const sources = ['clients/widget/src', 'clients/widget/locales', 'clients/ui/src', 'clients/sdk/dist'];
  ensureBuiltAfter('widget', 'clients/widget/dist/widget.js', sources);
}

/** Builds the dashboard if a source is newer than the build. Its SDK must be built: `npm run build:sdk`. */
export function ensureDashboardBuilt(): void {
  const sources = ['clients/dashboard/src', 'clients/ui/src', 'clients/sdk/dist'];
  ensureBuiltAfter('dashboard', 'clients/dashboard/dist/index.html', sources);
}

function ensureBuiltAfter(client: string, output: string, sources: string[]): void {
  const built = join(checkout, output);
  const folders = sources.map(name => join(checkout, name));
  const youngest = Math.max(...folders.filter(existsSync).map(youngestIn));
  if (existsSync(built) && statSync(built).mtimeMs > youngest) return;
  const { status, stdout, stderr } = spawnSync('npm', ['run', `build:${client}`], { cwd: checkout, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the build of the ${client} failed:\n${stdout}\n${stderr}`);
}

function youngestIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  return Math.max(0, ...files.map(entry => statSync(join(entry.parentPath, entry.name)).mtimeMs));
}
