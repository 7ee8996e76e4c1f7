import type { WorkflowNode } from '@kontor/contract'
import type { JobContext } from '../../../engine/types.ts'
import { storableText } from '../../../lib/storable-text.ts'
import { actorOf } from '../definition/owner.ts'
import type { WorkflowRow } from '../definition/store.ts'
import type { RunScope } from '../language/path.ts'
import { fillInput, FilledTooMuch } from '../language/template.ts'
import { StepFailure, type Block, type BlockContext, type BlockOutcome } from '../plugins/plugin.ts'
import type { WorkflowServices, WorkspaceName } from '../services.ts'
import type { RunRow } from './store.ts'

/** Bytes of JSON that a step may take and leave. */
const inputBytesMax = 1 << 20
const outputBytesMax = 256 << 10

/** Lines of a step's log, and characters of a line. */
const logLinesMax = 200
const logLineMax = 2000

/** What a step of a run runs with. */
export type StepBase = {
  readonly services: WorkflowServices
  readonly context: JobContext
  readonly workspace: WorkspaceName
  readonly workflow: Pick<WorkflowRow, 'id' | 'actor' | 'type'>
}

/** One attempt at a step. */
export type Attempt = {
  readonly input: unknown
  readonly logs: readonly string[]
  readonly startedAt: number
  readonly endedAt: number
} & ({ readonly outcome: BlockOutcome<unknown> } | { readonly error: unknown })

/** A block where it stands in a run. */
type Placed = Pick<BlockContext, 'scope' | 'earlier'> & { readonly node: WorkflowNode; readonly block: Block }

/** Runs a block once; what it throws is part of the attempt. */
export async function attempt(
  { services, context, workspace, workflow }: StepBase,
  run: RunRow,
  { node, block, scope, earlier }: Placed,
): Promise<Attempt> {
  const startedAt = context.clock.now()
  const logs: string[] = []
  let input: unknown = null
  const made = (rest: { outcome: BlockOutcome<unknown> } | { error: unknown }): Attempt => ({
    input,
    logs,
    startedAt,
    endedAt: context.clock.now(),
    ...rest,
  })
  const cause = { workflowId: workflow.id, runId: run.id, depth: run.depth }
  const actor = actorOf(workflow.actor, workspace.id, cause)
  const { woken, wait } = run.block_progress
  try {
    input = inputOf(node, block, scope)
    const outcome = await block.run(
      {
        call: services.actAs(actor, run.id),
        callByName: services.actByName(actor, run.id),
        actor,
        now: startedAt,
        signal: context.signal,
        workspace,
        run: { id: run.id, workflowId: workflow.id, isDryRun: run.dry_run },
        begunAt: run.started_at ?? startedAt,
        workflowType: workflow.type,
        block: node._id,
        record: run.object === null || run.record_id === null ? null : { object: run.object, id: run.record_id },
        idempotencyKey: keyOf(run, node, block),
        scope,
        earlier,
        resumed: wait === undefined ? undefined : { event: woken?.event },
        log: (line) => {
          if (logs.length < logLinesMax) logs.push(storableText(line.slice(0, logLineMax)))
        },
      },
      input,
    )
    if (outcome.state === 'done' && !isWithin(outcome.output, outputBytesMax))
      throw new StepFailure('output_too_large', `The output is larger than ${outputBytesMax} bytes.`)
    return made({ outcome })
  } catch (error) {
    return made({ error })
  }
}

/** The input of a step with its variables filled in. */
function inputOf(node: WorkflowNode, { verbatim, markup }: Block, scope: RunScope): Record<string, unknown> {
  const options = { charactersMax: inputBytesMax, verbatim, markup }
  try {
    const input = fillInput(node.input, scope, options)
    if (isWithin(input, inputBytesMax)) return input
  } catch (error) {
    if (!(error instanceof FilledTooMuch)) throw error
  }
  throw new StepFailure('input_too_large', `The input is larger than ${inputBytesMax} bytes.`)
}

/**
 * A step that is tried again by hand, after it failed for good, keeps its key: it did not happen. A block to which an
 * exit leads back is run a second time, and has another; so has each step of one that goes on with itself.
 */
const keyOf = ({ id, exit_node, block_progress }: RunRow, { _id: block }: WorkflowNode, { isLoop }: Block): string => {
  const key = exit_node === null ? `${id}:${block}` : `${id}:${block}:${exit_node}`
  return isLoop === true ? `${key}:${block_progress.step}` : key
}

const isWithin = (value: unknown, bytesMax: number): boolean =>
  Buffer.byteLength(JSON.stringify(value ?? null)) <= bytesMax
