import { spawn } from 'node:child_process';

/** Runs a script in bash with -euo pipefail. @returns its exit code and all its output, in order */
export function runShell(script: string): Promise<{ code: number | null; out: string }> {
  return new Promise(resolve => {
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', chunk => (out += String(chunk)));
    shell.on('close', code => resolve({ code, out }));
  });
}
