import { defineTask, TaskFailure, type Pool } from '../../../pool/index.ts'
import type { InboundMessage } from './read.ts'

const readTask = defineTask<Buffer, InboundMessage>({
  name: 'inbound e-mail',
  module: new URL('read.task.ts', import.meta.url),
  limits: {
    // 15 MB of quoted-printable take some seconds on a slow machine.
    cpuMs: 20_000,
    wallMs: 60_000,
    heapMiB: 256,
    inputBytes: 32 << 20,
    outputBytes: 1 << 20,
  },
})

/** Reads a message in a process of the pool; one that takes too much is ignored. */
export const readInPool = (pool: Pool, workspaceId: string, raw: Buffer): Promise<InboundMessage> =>
  pool.run(workspaceId, readTask, raw).catch((error: unknown) => {
    if (error instanceof TaskFailure) return { refersTo: [], sentTo: [], from: undefined, kind: 'ignored' }
    throw error
  })
