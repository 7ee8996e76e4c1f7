import type { WorkflowNode } from '@kontor/contract'
import type { Tx, ReadTx } from '../../db/tx.ts'
import type { JobContext } from '../../engine/types.ts'
import type { Actor } from '../../kernel/actor.ts'
import { answering, type CallByName, type InProcessChange } from '../../kernel/invoke/in-process.ts'
import { invariant } from '../../lib/guards.ts'
import { storableText } from '../../lib/texts.ts'
import { acceptedAt, type WorkflowRow } from '../definitions/index.ts'
import { actorOf, requireCredential, type ActingStanding } from '../identity/acting/index.ts'
import type { LocalTime } from '../settings/index.ts'
import { fillInput, FilledTooMuch, needsZone, TemplateFault, type RunScope } from '../templates/index.ts'
import {
  outputBytesMax,
  StepFailure,
  type Block,
  type BlockContext,
  type BlockOutcome,
  type Spent,
  type Plugins,
} from '../plugins/index.ts'
import type { WorkflowServices, WorkspaceName } from './services.ts'
import { namingEmptyVariables } from './empty-variables.ts'
import { jsonBytes, runOutputBytesMax } from './outputs.ts'
import type { Progress, RunError, RunRow } from './store.ts'
import { compileObject, type ObjectModel } from '../objects/index.ts'
import type { SchemaSets, WorkspaceSchemas } from '../schemas/index.ts'

/** Bytes of JSON that a step may take. */
const inputBytesMax = 1 << 20

/** Lines of a step's log, and characters of a line. */
const logLinesMax = 200
const logLineMax = 2000

/** The surroundings of a step. */
export type StepBase = {
  readonly services: WorkflowServices
  readonly context: JobContext
  readonly workspace: WorkspaceName
  readonly workflow: Pick<WorkflowRow, 'id' | 'actor' | 'type'>
  /** Finds out whether the owner may still act, and in which role. */
  readonly standing: () => Promise<ActingStanding>
  /** Finds by which clocks the workspace goes. */
  readonly localTime: () => Promise<LocalTime>
}

/** One attempt at a step. */
export type Attempt = {
  readonly input: unknown
  readonly inputBytes: number
  readonly logs: readonly string[]
  readonly startedAt: number
  readonly endedAt: number
} & ({ readonly outcome: BlockOutcome<unknown>; readonly outputBytes: number } | FailedAttempt)

/** The failure of an attempt, and the resources that it had used up by then. */
export type FailedAttempt = { readonly error: unknown; readonly used: Spent }

/** An attempt that has come to something. */
export type Outcome = Extract<Attempt, { readonly outcome: unknown }>

/** A block where it stands in a run. */
type Placed = Pick<BlockContext, 'scope' | 'earlier' | 'iteration'> & {
  readonly node: WorkflowNode
  readonly block: Block
  /** Bytes that the steps of the run may still leave. */
  readonly outputsLeft: number
  /** Stores the step, in the transaction of what it does. */
  readonly store: (tx: Tx, outcome: Outcome) => Promise<void>
}

/**
 * Runs a block once; what it throws is part of the attempt. `isStored` says that the step has been stored with what it
 * does.
 */
export async function attempt(
  { services, context, workspace, workflow, localTime }: StepBase,
  run: RunRow,
  { node, block, scope, earlier, iteration, outputsLeft, store }: Placed,
): Promise<Attempt & { readonly isStored: boolean }> {
  const startedAt = context.clock.now()
  const logs: string[] = []
  let input: Readonly<Record<string, unknown>> | null = null
  let inputBytes = 0
  const made = <Rest>(rest: Rest) => ({ input, inputBytes, logs, startedAt, endedAt: context.clock.now(), ...rest })
  const cause = { workflowId: workflow.id, runId: run.id, depth: run.depth }
  const actor = actorOf(workflow.actor, workspace.id, cause)
  const { woken, wait } = run.block_progress
  const callByName = callsAs({ services, context, workspace }, actor, run.id)
  let used = nothingSpent
  let last: Outcome | undefined
  let isStored = false
  const commit = committing(callByName, {
    async store(tx, output) {
      const outputBytes = requireFit(output, block, outputsLeft)
      last = made({ outcome: { state: 'done' as const, output }, outputBytes })
      await store(tx, last)
    },
    done: () => (isStored = true),
  })
  try {
    const zone = needsZone(node.input) ? (await localTime()).zone : 'utc'
    ;({ input, inputBytes } = inputOf(node, block, { scope, zone, plugins: services.plugins }))
    const outcome = await block.run(
      {
        call: answering(callByName),
        commit,
        callByName,
        actor,
        now: startedAt,
        signal: context.callSignal,
        workspace,
        run: { id: run.id, workflowId: workflow.id, isDryRun: run.dry_run },
        begunAt: (run.started_at ?? startedAt) + queuedMsOf(run.block_progress, startedAt),
        workflowType: workflow.type,
        block: node._id,
        localTime,
        timeZone: async () => (await localTime()).zone,
        objectNamed: (name) => objectNamed(services.schemaSets, context.database.reader, workspace.id, name),
        record: run.object === null || run.record_id === null ? null : { object: run.object, id: run.record_id },
        idempotencyKey: keyOf(run, node, block),
        scope,
        earlier,
        iteration,
        spent: run.block_progress.spent ?? nothingSpent,
        spend: (more) => (used = spentTogether(used, more)),
        resumed: wait === undefined ? undefined : { event: woken?.event },
        log: (line) => {
          if (logs.length < logLinesMax) logs.push(storableText(line.slice(0, logLineMax)))
        },
      },
      { ...input, ...membersOf(node.input, block.conditional ?? []) },
    )
    if (last !== undefined && isStored) return { ...last, isStored }
    const outputBytes = outcome.state === 'done' ? requireFit(outcome.output, block, outputsLeft) : 0
    return made({ outcome, outputBytes, isStored })
  } catch (error) {
    // It is done, whatever has gone wrong behind it.
    if (isStored) throw error
    return made({ error: namingEmptyVariables(error, node.input, input), used, isStored })
  }
}

/** The operations as the owner of a workflow, for as long as the credential is valid that they have used. */
function callsAs(
  { services, context: { database, clock }, workspace }: Pick<StepBase, 'services' | 'context' | 'workspace'>,
  actor: Actor,
  runId: string,
): CallByName {
  const call = services.actByName(actor, runId)
  return async (...given) => {
    await requireCredential(database.reader, { workspaceId: workspace.id, now: clock.now() }, actor)
    return call(...given)
  }
}

/** For how long the current step has been put off, until now. */
export const queuedMsOf = ({ queuedMs = 0, queuedSince }: Progress, now: number): number =>
  queuedMs + (queuedSince === undefined ? 0 : now - queuedSince)

/** Where a run stands once an attempt at its step has failed that is to be made again. */
export function afterFailure(
  before: Progress,
  { startedAt, used }: Pick<Attempt & FailedAttempt, 'startedAt' | 'used'>,
  failure: RunError,
): Progress {
  const { queuedSince: _queuedSince, ...progress } = before
  const spent = spentTogether(before.spent, used)
  const queuedMs = queuedMsOf(before, startedAt)
  return {
    ...progress,
    failures: before.failures + 1,
    failure,
    since: before.since ?? startedAt,
    ...(spent.calls + spent.tokens > 0 && { spent }),
    ...(queuedMs > 0 && { queuedMs }),
  }
}

const nothingSpent: Spent = { calls: 0, tokens: 0 }

/** Adds up used resources. */
const spentTogether = ({ calls, tokens }: Spent = nothingSpent, more: Partial<Spent>): Spent => ({
  calls: calls + (more.calls ?? 0),
  tokens: tokens + (more.tokens ?? 0),
})

const membersOf = (input: WorkflowNode['input'], names: readonly string[]): WorkflowNode['input'] =>
  Object.fromEntries(names.flatMap((name) => (name in input ? [[name, input[name]]] : [])))

type Committed = { readonly store: (tx: Tx, output: unknown) => Promise<void>; readonly done: () => void }

/** Calls operations, and has what is made of the answer stored in the transaction of the change. */
const committing =
  (call: CallByName, { store, done }: Committed): InProcessChange =>
  async <T>(name: string, input: Readonly<Record<string, unknown>>, told: (answer: never) => T): Promise<T> => {
    const outputs: T[] = []
    await call(name, input, {
      async alongside(tx, answer) {
        // The contract says what a call answers; where the transaction runs again, it is answered again.
        outputs[0] = told(answer as Parameters<typeof told>[0])
        await store(tx, outputs[0])
      },
    })
    done()
    const [output] = outputs
    invariant(output !== undefined, `${name} changes something`)
    return output
  }

/** Returns the bytes of an output; throws where they are more than a step, or all steps of a run, may leave. */
function requireFit(output: unknown, { outputBytesMax: most = outputBytesMax }: Block, outputsLeft: number): number {
  const bytes = jsonBytes(output)
  if (bytes > most) throw new StepFailure('output_too_large', `The output is larger than ${most} bytes.`)
  if (bytes > outputsLeft)
    throw new StepFailure(
      'run_too_large',
      `The outputs of this run are larger than ${runOutputBytesMax} bytes together.`,
    )
  return bytes
}

type FilledInput = { readonly input: Record<string, unknown>; readonly inputBytes: number }

type Filling = { readonly scope: RunScope; readonly zone: string; readonly plugins: Plugins }

/** The input of a step with its variables filled in. */
function inputOf(node: WorkflowNode, block: Block, { scope, zone, plugins }: Filling): FilledInput {
  const { verbatim, sparse, syntaxesOf } = block
  const accepted = (at: readonly (string | number)[]) => acceptedAt(plugins.inputSchema(block), at.map(String))
  const options = { charactersMax: inputBytesMax, verbatim, sparse, syntaxes: syntaxesOf?.(node.input), zone, accepted }
  try {
    const input = fillInput(node.input, scope, options)
    const inputBytes = jsonBytes(input)
    if (inputBytes <= inputBytesMax) return { input, inputBytes }
  } catch (error) {
    if (error instanceof TemplateFault) throw new StepFailure('invalid_input', error.message)
    if (!(error instanceof FilledTooMuch)) throw error
  }
  throw new StepFailure('input_too_large', `The input is larger than ${inputBytesMax} bytes.`)
}

/**
 * A step that is tried again by hand, after it failed for good, keeps its key: it did not happen. A block to which an
 * exit leads back is run a second time, and has another; so has each step of one that goes on with itself, and each
 * item of a list.
 */
const keyOf = ({ id, exit_node, block_progress }: RunRow, { _id: block }: WorkflowNode, { isLoop }: Block): string => {
  const items = (block_progress.loops ?? []).map(({ done }) => `#${done}`).join('')
  const key = `${id}:${block}${items}${exit_node === null ? '' : `:${exit_node}`}`
  return isLoop === true ? `${key}:${block_progress.step}` : key
}

/** Finds an object of a workspace, as its schema is now. */
async function objectNamed(
  schemaSets: SchemaSets,
  tx: ReadTx,
  workspaceId: string,
  name: string,
): Promise<ObjectModel | undefined> {
  const schemas: WorkspaceSchemas = (await schemaSets.readCurrent(tx, workspaceId)).schemas
  const schema = schemas.get(name)
  return schema && compileObject(schema)
}
