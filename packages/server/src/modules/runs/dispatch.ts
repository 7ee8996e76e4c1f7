import type { Tx } from '../../db/tx.ts'
import type { EventConsumer, LoggedEvent } from '../events/index.ts'
import { keepEnabled, kindOf, listEnabled, type Workflow } from '../definitions/index.ts'
import type { Trigger } from '../plugins/index.ts'
import type { WorkflowServices } from './services.ts'
import { beginRuns } from './begin.ts'
import type { RunDraft } from './draft.ts'
import { suppressedBy, filtersHold } from './event-filters.ts'
import { jsonBytes } from './outputs.ts'
import { chainOf } from '../../kernel/actor.ts'
import type { RunsNow } from './kinds.ts'
import { OwnersView } from './owners-view.ts'
import { stopWorkflow } from './stop.ts'
import { earlyExit, takeEarlyExits, wakeRuns, type EarlyExit } from './wake.ts'

/** Runs that begin in one transaction, unless one event begins more: with many workflows they would take all memory. */
const togetherMax = 500

/** Bytes of JSON that runs are begun with in one transaction, unless one event begins more. */
const togetherBytesMax = 8 * 1024 * 1024

/** Follows the log of events: begins the runs that they trigger, and wakes those that wait for them. */
export const dispatcher = (services: WorkflowServices): EventConsumer => ({
  name: consumerName,
  async prepare(context, workspaceId, events) {
    const { reader } = context.database
    const at = { workspaceId, now: context.clock.now(), kinds: services.kinds }
    const workflows = await listEnabled(reader, workspaceId)
    const view = new OwnersView(services, reader, at, events)
    const { triggered, taken } = await draftsOf(services, { workflows, view, now: at.now }, events)
    const prepared = await preparedDrafts(services, view, triggered)
    const drafts = await withExits(services, { view, now: at.now }, prepared, taken)
    const wake = await wakeRuns(reader, services, { ...at, view }, taken)
    const write = async (tx: Tx) => {
      for (const { workflow, stopped } of view.stopped())
        await stopWorkflow(tx, services, at, { workflow: workflow.row, stopped })
      await beginEnabled(tx, at, drafts)
      await wake(tx)
    }
    return { write, events: taken.length }
  },
})

/** A draft, and the place of its event among those that are read together. */
type Triggered = { readonly draft: RunDraft; readonly index: number }

type Drafted = RunDraft & { readonly exit: EarlyExit | undefined }

/** Begins runs of workflows that have not been disabled since they were listed. */
async function beginEnabled(tx: Tx, at: RunsNow, drafts: readonly Drafted[]): Promise<void> {
  if (drafts.length === 0) return
  const enabled = await keepEnabled(tx, at.workspaceId, [...new Set(drafts.map(({ workflow }) => workflow.row.id))])
  const kept = drafts.filter(({ workflow }) => enabled.has(workflow.row.id))
  const runs = await beginRuns(tx, at, kept)
  await takeEarlyExits(
    tx,
    at,
    runs.map((run, index) => ({ run, exit: kept[index]?.exit })),
  )
}

/** The view of owners, and its time. */
type Seen = { readonly view: OwnersView; readonly now: number }

async function draftsOf(
  { plugins }: WorkflowServices,
  { workflows, view, now }: Seen & { readonly workflows: readonly Workflow[] },
  events: readonly LoggedEvent[],
): Promise<{ readonly triggered: readonly Triggered[]; readonly taken: readonly LoggedEvent[] }> {
  const byPlugin = Map.groupBy(workflows, ({ row }) => row.trigger_plugin)
  const triggered: Triggered[] = []
  let bytes = 0
  for (const [index, event] of events.entries()) {
    if (triggered.length >= togetherMax || bytes >= togetherBytesMax)
      return { triggered, taken: events.slice(0, index) }
    for (const trigger of plugins.ofEvent(event.type))
      for (const workflow of byPlugin.get(trigger.id) ?? []) {
        for (const draft of await draftsFor(view, workflow, trigger, event, now)) {
          triggered.push({ draft, index })
          bytes += jsonBytes(draft.state)
        }
      }
  }
  return { triggered, taken: events }
}

/** Returns drafts with what their kinds say of them, such as an address, or a reason not to begin. */
async function preparedDrafts(
  { kinds }: WorkflowServices,
  view: OwnersView,
  triggered: readonly Triggered[],
): Promise<Triggered[]> {
  const done = new Map<Triggered, Triggered>()
  for (const [workflow, some] of Map.groupBy(triggered, ({ draft }) => draft.workflow)) {
    const { prepare } = kindOf(kinds, workflow.row.type)
    if (prepare === undefined) continue
    const ctx = await view.contextOf(workflow)
    if ('stopped' in ctx) continue
    const found = await prepare(ctx, [...new Set(some.flatMap(({ draft }) => draft.recordId ?? []))])
    for (const one of some) done.set(one, { ...one, draft: { ...found.get(one.draft.recordId ?? ''), ...one.draft } })
  }
  return triggered.map((one) => done.get(one) ?? one)
}

/** Drafts with the exits that later ones among the events take. */
async function withExits(
  services: WorkflowServices,
  { view, now }: Seen,
  triggered: readonly Triggered[],
  events: readonly LoggedEvent[],
): Promise<Drafted[]> {
  const drafts: Drafted[] = []
  for (const { draft, index } of triggered) {
    const later = Object.keys(draft.workflow.graph.exits).length === 0 ? [] : events.slice(index + 1)
    drafts.push({ ...draft, exit: await earlyExit(services, view, draft, later, now) })
  }
  return drafts
}

async function draftsFor(
  view: OwnersView,
  workflow: Workflow,
  trigger: Trigger,
  event: LoggedEvent,
  now: number,
): Promise<RunDraft[]> {
  const { input, filters } = workflow.graph.trigger
  const occurred = await view.occurred(workflow, { trigger, input }, event)
  const chain = chainOf(event.actor)
  const suppressed = suppressedBy(chain, workflow)
  const drafts: RunDraft[] = []
  for (const one of occurred) {
    if (!(await filtersHold(filters, one.state, { now, localTime: view.localTime }))) continue
    drafts.push({
      ...one,
      workflow,
      eventId: event.id,
      depth: (chain?.depth ?? 0) + 1,
      ...(suppressed !== undefined && { suppressed }),
    })
  }
  return drafts
}

/** The name under which workflows follow the log of events. */
export const consumerName = 'workflows'
