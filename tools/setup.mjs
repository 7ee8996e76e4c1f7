// Makes a clean clone runnable: installs the workspace once per lockfile, and builds the API reference once per document.
// Runs on whatever Node the machine has (18 or later); everything after it runs on the pinned Node from node_modules/.bin.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const lock = createHash('sha256').update(readFileSync(root + 'pnpm-lock.yaml')).update(process.platform + process.arch).digest('hex');
const stamp = root + 'node_modules/.lock-hash';
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  const { packageManager } = JSON.parse(readFileSync(root + 'package.json', 'utf8'));
  const r = spawnSync('npx', ['-y', '--prefer-offline', packageManager, 'install', '--frozen-lockfile'], { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (r.status !== 0) process.exit(r.status ?? 1);
  writeFileSync(stamp, lock);
}
