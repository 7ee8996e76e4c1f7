import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let folder: Promise<string> | undefined

/** A new folder that goes with the test file. */
export async function scratchFolder(): Promise<string> {
  folder ??= mkdtemp(join(tmpdir(), 'kontor-scratch-'))
  return mkdtemp(join(await folder, 'test-'))
}

/** Removes the folders of a test file; the next file of the worker has others. */
export async function removeScratch(): Promise<void> {
  const last = folder
  folder = undefined
  if (last !== undefined) await rm(await last, { recursive: true, force: true })
}
