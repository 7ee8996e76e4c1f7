import { spawnSync } from 'node:child_process'
import { chmod, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { scratchFolder } from './scratch.ts'
import { hasSmallDisks, needsSmallDisk, smallDisk } from './small-disk.ts'

/** Nothing but the mount stops root from writing. */
const isRoot = process.getuid?.() === 0

export const hasReadOnlyFolders = !isRoot || hasSmallDisks

/** Stands in the title of what is skipped where nothing can be made read-only. */
export const needsReadOnlyFolders = hasReadOnlyFolders ? '' : needsSmallDisk

/** A folder that can be made read-only, with all that is in it; it goes when the test has finished. */
export async function lockableFolder(): Promise<{ folder: string; lock: () => Promise<void> }> {
  if (isRoot) {
    const { folder } = smallDisk(64)
    return { folder, lock: async () => void spawnSync('mount', ['-o', 'remount,ro', folder]) }
  }
  const folder = await scratchFolder()
  onTestFinished(() => chmod(folder, 0o755))
  const lock = async (): Promise<void> => {
    for (const name of await readdir(folder)) await chmod(join(folder, name), 0o444)
    await chmod(folder, 0o555)
  }
  return { folder, lock }
}
