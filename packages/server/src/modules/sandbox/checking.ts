import { defineTask, TaskFailure, type Pool } from '../../pool/index.ts'

const checkTask = defineTask<{ readonly code: string }, { readonly fault: string | null }>({
  name: 'code-check',
  module: new URL('check.task.ts', import.meta.url),
  limits: { cpuMs: 5000, wallMs: 30_000, heapMiB: 128, inputBytes: 1 << 20, outputBytes: 65_536 },
})

/** Says what is wrong with a program without running it, in a process of the pool; undefined if nothing is. */
export const faultOfProgram = async (pool: Pool, workspaceId: string, code: string): Promise<string | undefined> =>
  pool.run(workspaceId, checkTask, { code }).then(
    ({ fault }) => fault ?? undefined,
    (error: unknown) => {
      if (error instanceof TaskFailure) return `The code cannot be read: ${error.message}`
      throw error
    },
  )
