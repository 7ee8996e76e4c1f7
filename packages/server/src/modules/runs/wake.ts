import type { WorkflowNode } from '@kontor/contract'
import type { ReadTx, Tx } from '../../db/tx.ts'
import type { LoggedEvent } from '../events/index.ts'
import { idsInChanges } from '../records/index.ts'
import { findVersion, findWorkflow, type Workflow } from '../definitions/index.ts'
import type { Trigger } from '../plugins/index.ts'
import type { WorkflowServices } from './services.ts'
import { continueRun, endRun, isEnded } from './changes.ts'
import { filtersHold } from './event-filters.ts'
import type { RunsNow } from './kinds.ts'
import type { OwnersView } from './owners-view.ts'
import { findRun, lockRun, type RunRow } from './store.ts'
import { deleteWait, listAwaited, listWaits, type WaitRow } from './waits/store.ts'

/** An event that a run has waited for, or that ends it. */
type Woken = {
  readonly wait: WaitRow
  readonly run: RunRow
  readonly state: RunRow['trigger_state']
  readonly next: string | null
}

type View = RunsNow & { readonly view: OwnersView }

/** An exit of a run that shall begin, taken by an event behind the one that begins it. */
export type EarlyExit = { readonly node: string; readonly plugin: string; readonly next: string | null }

/** Finds the exit that is taken first by events behind the one that begins a run, of which no wait tells yet. */
export async function earlyExit(
  { plugins }: WorkflowServices,
  view: OwnersView,
  { workflow, recordId }: { readonly workflow: Workflow; readonly recordId: string | null },
  events: readonly LoggedEvent[],
  now: number,
): Promise<EarlyExit | undefined> {
  for (const event of events)
    for (const [node, asked] of Object.entries(workflow.graph.exits)) {
      const trigger = plugins.ofEvent(event.type).find(({ id }) => id === asked.plugin_id)
      if (trigger === undefined || !mayConcern(trigger, event, recordId)) continue
      if (trigger.concerns?.(event, asked.input, '') === false) continue
      if ((await stateAsked(view, workflow, trigger, { ...asked, recordId }, event, now)) === undefined) continue
      return { node, plugin: asked.plugin_id, next: asked.next }
    }
  return undefined
}

/** Takes the exits of runs that have begun in this transaction. */
export async function takeEarlyExits(
  tx: Tx,
  at: RunsNow,
  begun: readonly { readonly run: RunRow; readonly exit: EarlyExit | undefined }[],
): Promise<void> {
  for (const { run, exit } of begun) {
    if (exit === undefined) continue
    const { node, plugin, next } = exit
    const wait = { run_id: run.id, node, is_exit: true, plugin, record_id: run.record_id }
    await goOn(tx, at, { wait, run, state: {}, next })
  }
}

/** Finds the runs that wait for events, or that events end; what it returns lets them go on. */
export async function wakeRuns(
  reader: ReadTx,
  services: WorkflowServices,
  at: View,
  events: readonly LoggedEvent[],
): Promise<(tx: Tx) => Promise<void>> {
  const { workspaceId } = at
  const awaited = new Set(await listAwaited(reader, workspaceId))
  const triggersOf = (event: LoggedEvent) => services.plugins.ofEvent(event.type).filter(({ id }) => awaited.has(id))
  const concerned = events.filter((event) => triggersOf(event).length > 0)
  if (concerned.length === 0) return async () => undefined
  const waits = await listWaits(
    reader,
    workspaceId,
    [...new Set(concerned.flatMap((event) => triggersOf(event).map(({ id }) => id)))],
    [...new Set(concerned.flatMap((event) => [...recordsOf(event)]))],
  )
  const woken = new Map<string, Woken>()
  for (const event of concerned)
    for (const wait of waits) {
      if (woken.has(wait.run_id)) continue
      const found = await matched(reader, services, at, wait, event)
      if (found !== undefined) woken.set(wait.run_id, found)
    }
  return async (tx) => {
    for (const one of woken.values()) await goOn(tx, at, one)
  }
}

/** An event as a wait has asked for it; undefined if it is another, or hidden from the owner of the workflow. */
async function matched(
  reader: ReadTx,
  { plugins }: WorkflowServices,
  { workspaceId, now, view }: View,
  wait: WaitRow,
  event: LoggedEvent,
): Promise<Woken | undefined> {
  const trigger = plugins.ofEvent(event.type).find(({ id }) => id === wait.plugin)
  if (trigger === undefined || !mayConcern(trigger, event, wait.record_id)) return undefined
  const run = await findRun(reader, workspaceId, wait.run_id)
  // A run's own changes neither end it nor continue it.
  if (run === undefined || isEnded(run) || event.actor.cause?.runId === run.id) return undefined
  const workflow = await workflowOf(reader, workspaceId, run)
  if (workflow === undefined) return undefined
  const asked = wait.is_exit ? workflow.graph.exits[wait.node] : awaitedBy(run)
  if (asked === undefined || trigger.concerns?.(event, asked.input, run.id) === false) return undefined
  const state = await stateAsked(view, workflow, trigger, { ...asked, recordId: wait.record_id }, event, now)
  return state && { wait, run, state, next: wait.is_exit ? asked.next : null }
}

/** Records that an event may be about: its own, those that it links to that one or parts from it, or merges into it. */
const recordsOf = ({ record_id, payload: { diff = [], sources = [] } }: LoggedEvent): ReadonlySet<string> =>
  new Set([...(record_id === null ? [] : [record_id]), ...idsInChanges(diff), ...sources])

/** Tells whether an event may be about a record that is waited for; null is any. */
const mayConcern = ({ occurrences }: Trigger, event: LoggedEvent, recordId: string | null): boolean =>
  recordId === null || recordId === event.record_id || (occurrences !== undefined && recordsOf(event).has(recordId))

type AwaitedEvent = Pick<WorkflowNode, 'input' | 'filters'> & { readonly recordId: string | null }

/** The state of an event, as the owner of a workflow sees it; undefined if it is another than a node asks for. */
async function stateAsked(
  view: OwnersView,
  workflow: Workflow,
  trigger: Trigger,
  { input, filters, recordId: wanted }: AwaitedEvent,
  event: LoggedEvent,
  now: number,
): Promise<RunRow['trigger_state'] | undefined> {
  for (const { recordId, state } of await view.occurred(workflow, { trigger, input }, event)) {
    if (wanted !== null && recordId !== wanted) continue
    if (await filtersHold(filters, state, { now, localTime: view.localTime })) return state
  }
  return undefined
}

/** Returns the event that a block waits for; its own filters were checked before it waited. */
const awaitedBy = ({ block_progress: { wait } }: RunRow) =>
  wait?.asked === undefined ? undefined : { input: wait.asked, filters: [], next: null }

/** The workflow of a run, with the graph that the run began with, and as whom. */
async function workflowOf(reader: ReadTx, workspaceId: string, run: RunRow): Promise<Workflow | undefined> {
  const [found, version] = await Promise.all([
    findWorkflow(reader, workspaceId, run.workflow_id),
    findVersion(reader, workspaceId, run.workflow_id, run.graph_version),
  ])
  return found && version && { row: { ...found.row, actor: run.acting }, graph: version.graph }
}

async function goOn(tx: Tx, at: RunsNow, { wait, run: { id }, state, next }: Woken): Promise<void> {
  const run = await lockRun(tx, at.workspaceId, id)
  if (run === undefined || isEnded(run)) return
  if (!wait.is_exit) {
    if (run.current_block !== wait.node || run.block_progress.wait === undefined) return
    await continueRun(tx, at, run, { block_progress: { ...run.block_progress, woken: { event: state['event'] } } })
    return
  }
  const exit = { exit_plugin: wait.plugin, exit_node: wait.node }
  if (next === null) await endRun(tx, at, run, { ...exit, run_status: 'success', current_block: null })
  else {
    // It has happened: the run does not come here again.
    await deleteWait(tx, at.workspaceId, id, wait.node)
    await continueRun(tx, at, run, {
      ...exit,
      run_status: 'running',
      current_block: next,
      block_progress: { step: run.block_progress.step + 1, failures: 0 },
    })
  }
}
