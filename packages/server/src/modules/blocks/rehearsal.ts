import { z } from 'zod'
import { change, type Change, type contract } from '@kontor/contract'
import { Failure } from '../../kernel/errors.ts'
import type { InProcessChange } from '../../kernel/invoke/in-process.ts'
import { isRecord, memberOf } from '../../lib/guards.ts'
import type { BlockContext } from '../plugins/index.ts'

/** Additional members of the output, in a test run, of a block that changes records. */
export const rehearsed = {
  dry_run: z.literal(true).optional().meta({ description: 'Only in a test run: nothing was done.' }),
  diff: z.array(change).optional().meta({ description: 'In a test run: what would change.' }),
}

/** The output of a block whose operation cannot be rehearsed. */
export const unrehearsed = z.object({
  dry_run: rehearsed.dry_run,
  would: z
    .object({ operation: z.string(), input: z.unknown() })
    .optional()
    .meta({ description: 'In a test run: what would be called.' }),
})

/** Calls an operation that changes records, together with the step. A test run checks it, and writes nothing. */
export const changing =
  ({ call, commit, run }: BlockContext): InProcessChange =>
  async (name, input, told) =>
    run.isDryRun ? told(await call(name, { ...input, dry_run: true })) : commit(name, input, told)

/** The part of an answer that tells of a rehearsal; nothing of a real call. */
export const rehearsalOf = (
  meta: { readonly dry_run?: true | undefined; readonly diff?: Change[] | undefined } | undefined,
) => (meta?.dry_run === true ? { dry_run: true as const, diff: meta.diff ?? [] } : {})

/**
 * Changes a record. In a test run the record may be one that an earlier step would have created: it is not there, so
 * that there is nothing to check, and `otherwise` is the output.
 */
export async function changingRecord<Output>(
  { run, scope }: BlockContext,
  recordId: string,
  attempt: () => Promise<Output>,
  otherwise: Output,
): Promise<Output> {
  try {
    return await attempt()
  } catch (error) {
    const isMissing = error instanceof Failure && error.code === 'not_found'
    if (run.isDryRun && isMissing && isRehearsed(scope, recordId)) return otherwise
    throw error
  }
}

const isRehearsed = (scope: BlockContext['scope'], recordId: string): boolean =>
  Object.values(scope).some((state) => {
    const output = memberOf(memberOf(state, 'state'), 'output')
    return isRecord(output) && output['dry_run'] === true && memberOf(output['record'], 'id') === recordId
  })

/**
 * Calls an operation that cannot be rehearsed, together with the step, whose output is given; a test run says what it
 * would call.
 */
export async function sending<D extends keyof typeof contract, Output extends object>(
  { commit, run }: BlockContext,
  operation: `${D}.${keyof (typeof contract)[D] & string}`,
  input: Readonly<Record<string, unknown>>,
  output: Output,
): Promise<Output & z.infer<typeof unrehearsed>> {
  if (run.isDryRun) return { ...output, dry_run: true, would: { operation, input } }
  return commit(operation, input, () => output)
}
