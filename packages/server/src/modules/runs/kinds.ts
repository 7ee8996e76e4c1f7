import type { Suppression } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import type { WorkspaceNow } from '../../kernel/clock.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import type { DefinitionKind } from '../definitions/index.ts'
import type { RunDraft } from './draft.ts'
import type { OwnedRun, RunChanges, RunRow, SlimRun } from './store.ts'

/** Rows that another module keeps beside runs, as `Dependent` is for records. */
export type RunDependent = {
  /** Follows a change of a run that is locked. */
  readonly changed?: (tx: Tx, at: WorkspaceNow, run: SlimRun, changes: RunChanges) => Promise<void>
  /** Removes what belongs to some runs. */
  readonly removed?: (tx: Tx, workspaceId: string, runIds: readonly string[]) => Promise<void>
  /** Removes some of what belongs to a workflow that was deleted; returns how many rows. */
  readonly removeSome?: (tx: Tx, workspaceId: string, workflowId: string, rowsMax: number) => Promise<number>
  /** Removes the rest, and returns the beginnings of the names of counters that go with it. */
  readonly removeLast?: (tx: Tx, workspaceId: string, workflowId: string) => Promise<readonly string[]>
}

/** A run and the draft that it was made of. */
export type DraftedRun = { readonly run: RunRow; readonly draft: RunDraft }

/** The part of a kind in runs that begin together, in one transaction. */
export type Beginning = {
  /** Tells whether a draft enrols its record, and whether that record is gone. */
  readonly standing: (draft: RunDraft) => 'enrols' | 'gone' | undefined
  /** Returns why a draft may not begin, if the limits of its workflow let it. */
  readonly why: (draft: RunDraft) => Suppression | undefined
  /** Stores who has been enrolled; returns the runs that have lost against those of other transactions. */
  readonly store: (enrolments: readonly DraftedRun[]) => Promise<ReadonlySet<string>>
}

/** The reason for which a run ends that may not go on. */
export type RunBar = { readonly code: string; readonly detail: string }

/** A kind of workflow, with what others do not have. Plain workflows have none of the functions. */
export type WorkflowKind = DefinitionKind & {
  /** Its name among the things that a member has made. */
  readonly madeAs: 'workflows' | 'campaigns' | 'agents'
  /** Each has an address that accepts any request; others only with a trigger for that. */
  readonly hasAddress?: boolean
  /** Any member may run one by hand that is enabled and begins by hand. */
  readonly isOpen?: boolean
  /** Its runs act as the owner of today; others as whom they began. */
  readonly actsAsOwner?: boolean
  /** Its steps read what all of those before them have left; others only the latest of each block. */
  readonly readsEveryStep?: boolean
  /** Prepares drafts that events have begun, by their records, as the owner of the workflow sees them. */
  readonly prepare?: (
    ctx: WorkspaceReadContext,
    recordIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Pick<RunDraft, 'address' | 'isFirst' | 'suppressed'>>>
  readonly begin?: (tx: Tx, at: WorkspaceNow, drafts: readonly RunDraft[]) => Promise<Beginning>
  /** Returns why a run may not go on now: it rests where it is, or ends. */
  readonly barOf?: (found: OwnedRun) => 'rests' | RunBar | undefined
  /** Refuses a run that may not go on with the step that failed. */
  readonly requireRetriable?: (ctx: WriteContext<'run_state'>, run: RunRow) => Promise<void>
  /** Acts when a workflow of the kind is enabled or gets another graph. */
  readonly enabled?: (tx: Tx, at: WorkspaceNow, workflowId: string) => Promise<void>
  readonly dependent?: RunDependent
}

export type WorkflowKinds = readonly WorkflowKind[]

/** Where and when runs change, with the kinds that follow that. */
export type RunsNow = WorkspaceNow & { readonly kinds: WorkflowKinds }
