import { z } from 'zod'
import type { Tx } from '../../db/tx.ts'
import { dequeue, enqueue } from '../../engine/store.ts'
import type { JobKind, JobType } from '../../engine/types.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { findWorkflow, keepEnabled, listEnabled, type Workflow } from '../definitions/index.ts'
import { findSettings } from '../settings/index.ts'
import { heartbeatPlugin, nextInstant, passedInstants, schedule, type Passed, type Schedule } from '../plugins/index.ts'
import { beginRuns } from './begin.ts'
import type { WorkflowServices } from './services.ts'

const payload = z.object({ workflow_id: z.string(), after: z.number() })
type Payload = z.infer<typeof payload>

const heartbeat: JobType<Payload> = { name: 'workflows.heartbeat', payload }

/** Longest rest, after which a schedule is looked at again: timers count to 24 days. */
const restMaxMs = 24 * 3_600_000

const scheduleOf = ({ row, graph }: Workflow) =>
  row.enabled && graph.trigger.plugin_id === heartbeatPlugin ? schedule.safeParse(graph.trigger.input).data : undefined

/** Keeps the schedule of a workflow, if it has one, from now on, and none that it had before. */
export async function beginHeartbeat(tx: Tx, workspaceId: string, workflow: Workflow, now: number): Promise<void> {
  const { id } = workflow.row
  await dequeue(tx, { workspaceId, kind: heartbeat, key: id })
  if (scheduleOf(workflow) === undefined) return
  await enqueue(tx, {
    workspaceId,
    kind: heartbeat,
    payload: { workflow_id: id, after: now },
    now,
    key: id,
  })
}

/** Plans the schedules anew that go by the time zone of the workspace, which has changed. */
export async function replanHeartbeats({ tx, workspace: { workspaceId }, clockNow }: WriteContext): Promise<void> {
  for (const workflow of await listEnabled(tx, workspaceId)) {
    const planned = scheduleOf(workflow)
    if (planned !== undefined && planned.time_zone === undefined)
      await beginHeartbeat(tx, workspaceId, workflow, clockNow)
  }
}

/** The schedule with a time zone: its own, or that of the workspace. */
const inZone = async (tx: Tx, workspaceId: string, { cron, time_zone }: Schedule) => ({
  cron,
  time_zone: time_zone ?? (await findSettings(tx, workspaceId)).time_zone,
})

/** Begins a run at each instant of a schedule. Those that passed while no server ran are one, which tells how many. */
export const heartbeatJob = ({ kinds }: Pick<WorkflowServices, 'kinds'>): JobKind<Payload> => ({
  ...heartbeat,
  // A workflow that is enabled would stop without a word.
  maxAttempts: Infinity,
  run: ({ clock, workspaceId, conclude }, { workflow_id, after }) =>
    conclude(async (tx) => {
      if (!(await keepEnabled(tx, workspaceId, [workflow_id])).has(workflow_id)) return { state: 'done' }
      const workflow = await findWorkflow(tx, workspaceId, workflow_id)
      const schedules = workflow && scheduleOf(workflow)
      if (workflow === undefined || schedules === undefined) return { state: 'done' }
      const asked = await inZone(tx, workspaceId, schedules)
      const now = clock.now()
      const passed = passedInstants(asked, after, now)
      if (passed !== undefined) await beginRuns(tx, { workspaceId, now, kinds }, [draftOf(workflow, passed)])
      const reached = passed === undefined ? after : now
      const next = nextInstant(asked, reached)
      if (next === undefined) return { state: 'done' }
      return { state: 'again', inMs: Math.min(restMaxMs, next - now), payload: { workflow_id, after: reached } }
    }),
})

const draftOf = (workflow: Workflow, { last, before }: Passed) => ({
  workflow,
  state: {
    event: {
      id: null,
      type: heartbeatPlugin,
      sequence: null,
      created_at: isoTime(last),
      actor: null,
      object: null,
      data: { scheduled_at: isoTime(last), missed: before },
    },
  },
  object: null,
  recordId: null,
  eventId: null,
  depth: 0,
})
