import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const blockBytes = 4096

/** A folder that is a disk of its own, in memory; undefined where this process may not mount one. */
function mount(mib: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'kontor-disk-'))
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m,mode=0755`, 'kontor-test', folder]).status === 0)
    return folder
  rmSync(folder, { recursive: true })
  return undefined
}

function unmount(folder: string): void {
  // Lazily: a server that was killed may not be gone yet.
  spawnSync('umount', ['-l', folder])
  rmSync(folder, { recursive: true, force: true })
}

function mayMount(): boolean {
  const folder = mount(1)
  if (folder !== undefined) unmount(folder)
  return folder !== undefined
}

export const hasSmallDisks = mayMount()

/** Stands in the title of what is skipped where no disk can be mounted. */
export const needsSmallDisk = hasSmallDisks ? '' : ' (skipped, needs the right to mount a file system: run as root)'

/** A disk that can be filled to the last block, and emptied; it goes when the test has finished. */
export function smallDisk(mib: number) {
  const folder = mount(mib)
  if (folder === undefined) throw new Error('no file system can be mounted here')
  onTestFinished(() => unmount(folder))
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill: (): void => {
      const file = openSync(ballast, 'a')
      try {
        for (const block = Buffer.alloc(blockBytes); ;) writeSync(file, block)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
    },
    free: (): void => rmSync(ballast, { force: true }),
  }
}
