import { readFileSync, statfsSync } from 'node:fs'

const memory = '/dev/shm'
/** More than a run has ever taken, and the processes of the run beside it. */
const roomBytes = 6 * 2 ** 30

/**
 * Keeps temporary files in memory where there is room for them: databases that live for a minute wait for no disk. Does
 * nothing where `TMPDIR` says where they go, on other systems than Linux, and in containers with a small `/dev/shm`.
 */
export function useMemoryFolder(): void {
  if (process.env['TMPDIR'] === undefined && isRoomy()) process.env['TMPDIR'] = memory
}

function isRoomy(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory)
    // Programs of Postgres may have to be copied there.
    const mayRunPrograms = / \/dev\/shm tmpfs (?!\S*noexec)/.test(readFileSync('/proc/mounts', 'utf8'))
    return mayRunPrograms && Math.min(bavail * bsize, process.availableMemory()) >= roomBytes
  } catch {
    return false
  }
}
