/** Vitest's global setup of the `sqlite` project: one folder a run, for what its workers share or keep. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Goes with the run; provided in the `sqlite` project only. */
    sqliteFolder: string
  }
}

let folder = ''

export async function setup(project: TestProject): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'kontor-sqlite-'))
  project.provide('sqliteFolder', folder)
}

export const teardown = (): Promise<void> => rm(folder, { recursive: true, force: true })
