import type { Sending } from '@kontor/contract'
import { z } from 'zod'
import type { Tx } from '../../../db/tx.ts'
import { enqueue } from '../../../engine/store.ts'
import type { JobKind, JobType } from '../../../engine/types.ts'
import { continueRun, lockRun, type RunRow } from '../../runs/index.ts'
import { findVersion } from '../../definitions/index.ts'
import { holdCampaign, listActive } from '../enrolments/store.ts'
import { campaignKinds } from '../kind.ts'
import { deletePlaces, findPaced, moveDomainsUp } from './store.ts'

const payload = z.object({
  workflow_id: z.string(),
  after: z.object({ created_at: z.number(), person_id: z.string() }),
})

type Payload = z.infer<typeof payload>

const repacing: JobType<Payload> = { name: 'campaigns.repace', payload }

/** Runs whose places are given back in one transaction. */
const batchMax = 100

const beginning = { created_at: 0, person_id: '00000000-0000-0000-0000-000000000000' }

/** Lets the letters of a campaign that wait for their time take new places: its hours or limits have changed. */
export const enqueueRepacing = (tx: Tx, workspaceId: string, workflowId: string, now: number): Promise<void> =>
  enqueue(tx, { workspaceId, kind: repacing, payload: { workflow_id: workflowId, after: beginning }, now })

export const repaceJob: JobKind<Payload> = {
  ...repacing,
  run: ({ workspaceId, clock, conclude }, { workflow_id, after }) =>
    conclude(async (tx) => {
      const key = { workspace_id: workspaceId, workflow_id }
      await holdCampaign(tx, key)
      const now = clock.now()
      const sending = (await findPaced(tx, key))?.sending
      if (after.created_at === 0) await moveDomainsUp(tx, key, now + apartMs(sending))
      const active = await listActive(tx, workspaceId, workflow_id, after, batchMax)
      for (const { run_id, resume_at } of active)
        if (resume_at !== null && resume_at > now) await release(tx, { workspaceId, now }, run_id)
      const last = active.at(-1)
      return last === undefined || active.length < batchMax
        ? { state: 'done' }
        : { state: 'again', inMs: 0, payload: { workflow_id, after: last } }
    }),
}

const apartMs = (sending: Sending | undefined): number =>
  sending?.per_domain_per_minute == null ? 0 : 60_000 / sending.per_domain_per_minute

/** Gives the places of a run back and lets it ask anew, unless it waits for something else than to send. */
async function release(tx: Tx, at: { readonly workspaceId: string; readonly now: number }, id: string): Promise<void> {
  const run = await lockRun(tx, at.workspaceId, id)
  if (run?.run_status !== 'waiting' || !(await waitsToSend(tx, at.workspaceId, run))) return
  await deletePlaces(tx, { workspace_id: at.workspaceId, workflow_id: run.workflow_id, run_id: id }, at.now)
  await continueRun(tx, { ...at, kinds: campaignKinds }, run, {
    block_progress: { ...run.block_progress, woken: { event: null } },
  })
}

async function waitsToSend(tx: Tx, workspaceId: string, run: RunRow): Promise<boolean> {
  const { current_block: current, workflow_id, graph_version } = run
  if (current === null) return false
  const version = await findVersion(tx, workspaceId, workflow_id, graph_version)
  return version?.graph.blocks[current]?.plugin_id === 'svc:send:email'
}
