import { readFileSync, rmSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { memberOf } from './guards.ts'

/** The address of a running server; stored in `DATA_DIR/server.json` while it runs. */
export type RunningServer = z.infer<typeof runningServer>

const runningServer = z.object({ pid: z.int().positive(), base_url: z.url(), auth_url: z.url() })

const fileOf = (dataDir: string): string => join(dataDir, 'server.json')

/** Writes the address of this server for the command line. If servers share a folder, the last to start wins. */
export async function announceServer(dataDir: string, server: RunningServer): Promise<void> {
  const draft = `${fileOf(dataDir)}.${server.pid}`
  await writeFile(draft, `${JSON.stringify(server)}\n`)
  // A reader never sees half of the file.
  await rename(draft, fileOf(dataDir))
}

/** Removes what `announceServer` wrote, unless another server has written since. */
export function withdrawServer(dataDir: string, pid: number): void {
  if (readServer(dataDir)?.pid === pid) rmSync(fileOf(dataDir), { force: true })
}

/** The server that runs on this folder; undefined if there is none, or if it ended without removing its file. */
export function findRunningServer(dataDir: string): RunningServer | undefined {
  const server = readServer(dataDir)
  return server !== undefined && isAlive(server.pid) ? server : undefined
}

function readServer(dataDir: string): RunningServer | undefined {
  try {
    return runningServer.parse(JSON.parse(readFileSync(fileOf(dataDir), 'utf8')))
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It runs, and belongs to another user.
    return memberOf(error, 'code') === 'EPERM'
  }
}
