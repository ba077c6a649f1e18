import { spawnSync } from 'node:child_process';

/** Remounts every file system of this process read-only, verifies it, drops every privilege, and runs the rest. */
const CONFINE = [
  'mount --make-rprivate /',
  `for place in $(cut -d" " -f2 /proc/self/mounts | sort -u); do
     case $place in /proc*|/sys*|/dev*) ;; *) mount -o remount,bind,ro "$place" || exit 71 ;; esac
   done`,
  'if touch "$PWD/probe" /tmp/probe 2> /dev/null; then exit 72; fi',
  'exec setpriv --reuid "$0" --regid "$0" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"',
].join('\n');

/**
 * Command prefix that runs a program like a container started with `--read-only --cap-drop ALL --security-opt
 * no-new-privileges --user <id>`. Null, with the reason on stderr, where the machine does not allow it.
 */
export function confined(id: number): { command: string; args: string[] } | null {
  const command = 'unshare';
  const args = ['--mount', 'sh', '-c', CONFINE, String(id)];
  const { status, stderr, error } = spawnSync(command, [...args, 'true'], { encoding: 'utf8' });
  if (status === 0) return { command, args };
  const reason = error?.message ?? stderr.trim();
  process.stderr.write(`skipped: no read-only file system can be made here: ${reason || `status ${status}`}\n`);
  return null;
}
