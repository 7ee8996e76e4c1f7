import type { z } from 'zod'
import type { FilterValue, WorkflowResource } from '@kontor/contract'
import type { Actor } from '../../kernel/actor.ts'
import type { CallByName, InProcessCall, InProcessChange } from '../../kernel/invoke/in-process.ts'
import { findUnstorable } from '../../kernel/parse/parse.ts'
import { storableText } from '../../lib/texts.ts'
import type { LoggedEvent } from '../events/index.ts'
import type { ObjectModel } from '../objects/index.ts'
import type { LocalTime } from '../settings/index.ts'
import type { RunScope, Syntaxes } from '../templates/index.ts'
import { fieldOf, inputFaultsOf, textOfFaults, type InputFault } from './input-faults.ts'

/** Bytes of JSON that a step may leave. */
export const outputBytesMax = 1 << 20

/** Description of a plugin. */
type Plugin = {
  /** The `plugin_id` of its nodes. */
  readonly id: string
  readonly title: string
  readonly description: string
  readonly types: readonly WorkflowResource['attributes']['type'][]
  /** The input of a node, once its variables are filled in. */
  readonly input: z.ZodType
  /** Members of the input in which variables mean nothing: what comes from outside may not become a part of code. */
  readonly verbatim?: readonly string[]
  /** Members in which what is missing leaves its own member out: no value of a message clears what it did not name. */
  readonly sparse?: readonly string[]
  /** Those of them whose variables it looks up itself: they are checked all the same. */
  readonly lookedUp?: readonly string[]
  /** The syntax of texts of an input: a value is escaped for it, unless it is the whole text. */
  readonly syntaxesOf?: (input: Readonly<Record<string, unknown>>) => Syntaxes
}

/** An event of a record, or of another thing with an id. */
export type SeenEvent = LoggedEvent & { readonly object: string; readonly record_id: string }

/** The objects of a workspace, by name. */
export type Objects = ReadonlyMap<string, ObjectModel>

/** An event for a trigger: the record of the run, and its data. */
export type TriggerOccurrence = {
  readonly object: string
  readonly recordId: string
  /** The event has removed it: it is what it was. */
  readonly isGone?: true
  /** `data` of the state; without it, the payload of the event. */
  readonly data?: Readonly<Record<string, unknown>>
}

/** A plugin that begins runs, or ends them as an exit. */
export type Trigger = Plugin & {
  readonly places: readonly ('trigger' | 'exit')[]
  /** `{{trigger.state.…}}` of its runs. */
  readonly state: z.ZodType
  /** The events that it may stand for; none for what does not begin with an event. */
  readonly events: readonly string[]
  /** Tells whether one of its events is one that the input of a node asks for. */
  readonly matches: (event: LoggedEvent, input: Readonly<Record<string, unknown>>) => boolean
  /**
   * Returns the subjects of a matching event, as the owner of the workflow sees it, where it may be nothing, several
   * things, or about other records than its own. Without it, an event is about its record.
   */
  readonly occurrences?: (
    event: SeenEvent,
    input: Readonly<Record<string, unknown>>,
    objects: Objects,
  ) => readonly TriggerOccurrence[]
  /** Where runs have events of their own: tells whether one concerns a run that waits for it or that it would end. */
  readonly concerns?: (event: LoggedEvent, input: Readonly<Record<string, unknown>>, runId: string) => boolean
  /** The workflows that may begin with it, if others may wait for it or end by it. */
  readonly begins?: Plugin['types']
}

/** Facts for a block that continues after a wait. */
type Resumption = {
  /** The event that it waited for; undefined where time has passed or the run was resumed by hand. */
  readonly event: unknown
}

/** Used part of the budgets of a run. */
export type Spent = { readonly calls: number; readonly tokens: number }

/** Context of a block. */
export type BlockContext = {
  /** Calls an operation as the owner of the workflow. */
  readonly call: InProcessCall
  readonly callByName: CallByName
  /**
   * Calls an operation that is all that the step does, as its last: what it changes and the step, whose output is what
   * `told` makes of the answer, are stored by one commit.
   */
  readonly commit: InProcessChange
  readonly actor: Actor
  readonly now: number
  /** Aborted when a stopping server has waited long enough, or another process has the run. */
  readonly signal: AbortSignal
  readonly workspace: { readonly id: string; readonly slug: string }
  readonly run: { readonly id: string; readonly workflowId: string; readonly isDryRun: boolean }
  /** When the run began; later by the time for which its current step has waited for a place to compute in. */
  readonly begunAt: number
  readonly workflowType: WorkflowResource['attributes']['type']
  /** The key of the block itself. */
  readonly block: string
  /** The time zone of the workspace. */
  readonly timeZone: () => Promise<string>
  /** By which clocks and years the workspace goes. */
  readonly localTime: () => Promise<LocalTime>
  /** Finds an object of the workspace, as its schema is now. */
  readonly objectNamed: (name: string) => Promise<ObjectModel | undefined>
  /** The record that the run is of. */
  readonly record: { readonly object: string; readonly id: string } | null
  /** The same in each attempt at the same step, and in no other: what takes it twice acts once. */
  readonly idempotencyKey: string
  /** The states of the trigger and of the blocks that have run. */
  readonly scope: RunScope
  /** The number of finished items, for a block that repeats a chain of others. */
  readonly iteration: number
  /** Outputs of the earlier steps of a block that continues with itself, in order. */
  readonly earlier: readonly unknown[]
  /** Budget that failed attempts at steps of the run used, which no output shows. */
  readonly spent: Spent
  /** Notes what this attempt uses up: it counts from now on if the attempt fails. */
  readonly spend: (more: Partial<Spent>) => void
  /** Present when the block goes on after it waited. */
  readonly resumed: Resumption | undefined
  /** Keeps a line with the step. */
  readonly log: (line: string) => void
}

/** An event that a run waits for. */
type Awaited = {
  /** The trigger that stands for it, and the input that a node of it would have. */
  readonly plugin: string
  readonly input: Readonly<Record<string, unknown>>
  /** The record that it is about; null for any. */
  readonly recordId: string | null
}

type Path = readonly (string | number)[]

/** A condition, and where it and its parts stand in a node. */
export type PlacedCondition = {
  readonly at: Path
  readonly field: string
  readonly operator: { readonly name: string; readonly at: Path }
  readonly value: { readonly given: FilterValue | readonly FilterValue[] | undefined; readonly at: Path }
}

/** The end of a block. */
export type BlockOutcome<Output> =
  /** `next` is where the run goes on, if not where the node says; null ends it. */
  | {
      readonly state: 'done'
      readonly output: Output
      readonly next?: string | null
      /** The end of the run with this block, if not in success: its person may not be written to. */
      readonly ends?: 'suppressed' | 'cancelled'
      /** The run comes back to the block where the chain ends that begins with `next`. */
      readonly isRepeated?: true
      /** Variables in its conditions that had no value. */
      readonly unresolved?: readonly string[]
    }
  /** The run rests, and the block is run again when the time has come or the event has happened. */
  | { readonly state: 'wait'; readonly until: number | null; readonly event?: Awaited }

/**
 * A plugin that does something: one file each in `blocks/`. It may be run again after a crash, with the same
 * `idempotencyKey`.
 */
type BlockDefinition<Input, Output> = Plugin & {
  readonly input: z.ZodType<Input>
  /** `{{<block>.state.output.…}}`. */
  readonly output: z.ZodType<Output>
  /**
   * It may go on with itself, step after step: each has an idempotency key of its own, and the run, its workflow and
   * its owner are looked at anew before each.
   */
  readonly isLoop?: true
  /** It repeats a chain of other blocks, and is run again before each repetition. */
  readonly repeats?: true
  /** Bytes of JSON that it may leave, if more than other blocks. */
  readonly outputBytesMax?: number
  /** It may look at the output of every block, not only of those that its node names. */
  readonly readsAll?: true
  /** It touches nothing but what it is given, so it may be stored together with the next step. */
  readonly isPure?: true
  /** All that it does is one call of `context.commit`: it may be stored together with the steps before. */
  readonly isOneCommit?: true
  /** False where the server lacks settings that it needs; it is available unless it says so. */
  readonly isAvailable?: boolean
  /** The keys of the blocks that it may go on with, beside the `next` of its node. */
  readonly branches?: (input: Readonly<Record<string, unknown>>) => readonly string[]
  /** The trigger, and the input of a node of it, whose event is the `event` of its output. */
  readonly awaits?: (
    input: Readonly<Record<string, unknown>>,
  ) => { readonly plugin: string; readonly input: Readonly<Record<string, unknown>> } | undefined
  /** Finds what is literal in its input and would be refused in every run. */
  readonly literalFaults?: (
    input: Readonly<Record<string, unknown>>,
  ) => readonly InputFault[] | Promise<readonly InputFault[]>
  /** Members with conditions, whose variables it fills in itself: what has no value there decides (0217). */
  readonly conditional?: readonly string[]
  /** The conditions in its input that are checked as filters of nodes are, with where in the input they stand. */
  readonly conditions?: (input: Readonly<Record<string, unknown>>) => readonly PlacedCondition[]
  readonly run: (context: BlockContext, input: Input) => Promise<BlockOutcome<Output>>
}

/** A block of any kind; it parses what it is given by its own schema. */
export type Block = Omit<BlockDefinition<unknown, unknown>, 'run'> & {
  readonly run: (context: BlockContext, given: unknown) => Promise<BlockOutcome<unknown>>
}

/** Why a step failed, and whether it may succeed later. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly code: string
  readonly isRetryable: boolean
  /** It is tried again for as long as it takes: what it waits for comes back by itself. */
  readonly isPatient: boolean
  /** The earliest that it makes sense to try again. */
  readonly retryAfterMs: number | undefined
  /** The places in the input whose values are wrong. */
  readonly faulty: readonly InputFault['path'][]

  constructor(
    code: string,
    detail: string,
    options: {
      isRetryable?: boolean
      isPatient?: boolean
      retryAfterMs?: number | undefined
      faulty?: readonly InputFault['path'][]
    } = {},
  ) {
    super(storableText(detail))
    this.code = code
    this.isPatient = options.isPatient ?? false
    this.isRetryable = options.isRetryable ?? this.isPatient
    this.retryAfterMs = options.retryAfterMs
    this.faulty = options.faulty ?? []
  }
}

/** Declares a block. Input that does not fit its schema fails the step, and so does output that cannot be stored. */
export const block = <Input, Output>({ run, ...definition }: BlockDefinition<Input, Output>): Block => ({
  ...definition,
  async run(context, given) {
    const parsed = definition.input.safeParse(given)
    if (!parsed.success) {
      const faults = inputFaultsOf(definition.input, given)
      const text = textOfFaults(faults.map(({ path, detail }) => ({ field: fieldOf(path), detail })))
      throw new StepFailure('invalid_input', text, { faulty: faults.map(({ path }) => path) })
    }
    const outcome = await run(context, parsed.data)
    const fault = outcome.state === 'done' ? findUnstorable(outcome.output) : undefined
    if (fault !== undefined) throw new StepFailure('invalid_output', fault.detail ?? 'It cannot be stored.')
    return outcome
  },
})
