import { setTimeout as sleep } from 'node:timers/promises'
import { defineTask, PoolBusy, TaskFailure, type Pool } from '../../pool/index.ts'
import { StepFailure, type BlockContext } from '../plugins/index.ts'

export type UncheckedAnswer = { readonly said: string; readonly schema: Readonly<Record<string, unknown>> }

/** The value that a model answered, or what is wrong with it. */
export type CheckedAnswer = { readonly value: unknown } | { readonly fault: string }

const checkTask = defineTask<UncheckedAnswer, CheckedAnswer>({
  name: 'answer of a language model',
  module: new URL('schema.task.ts', import.meta.url),
  // A check takes some milliseconds; loading what it is checked with takes more.
  limits: { cpuMs: 2000, wallMs: 60_000, heapMiB: 256, inputBytes: 8 << 20, outputBytes: 8 << 20 },
})

/** The model has been paid for its answer: a place to check it in is asked for again, this often. */
const triesMax = 10
const triesPauseMs = 1000

/** Checks an answer of a language model against a JSON Schema of a user, in a process of the pool. */
export async function checkAnswer(
  pool: Pool,
  { workspace, signal }: Pick<BlockContext, 'workspace' | 'signal'>,
  answer: UncheckedAnswer,
): Promise<unknown> {
  const check = async (tries = 1): Promise<CheckedAnswer> =>
    pool.run(workspace.id, checkTask, answer, signal).catch(async (error: unknown) => {
      if (!(error instanceof PoolBusy) || tries === triesMax) throw error
      await sleep(triesPauseMs, undefined, { signal })
      return check(tries + 1)
    })
  const checked = await check().catch((error: unknown) => {
    if (!(error instanceof TaskFailure)) throw error
    const why = 'The response cannot be checked: output_schema is too complex'
    throw new StepFailure('output_schema_too_expensive', `${why}: simplify its patterns. ${error.message}`)
  })
  if ('value' in checked) return checked.value
  // Another try may have the model answer what was asked.
  throw new StepFailure('ai_invalid_output', `The response ${checked.fault}`, { isRetryable: true })
}
