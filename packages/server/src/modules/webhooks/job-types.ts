import { z } from 'zod'
import type { Tx } from '../../db/tx.ts'
import { enqueue } from '../../engine/store.ts'
import type { JobType } from '../../engine/types.ts'
import type { WebhookRow } from './store.ts'

const payload = z.object({ webhook: z.string() })

/** The payload of a job of a webhook. */
export type OfWebhook = z.infer<typeof payload>

export const sendingType: JobType<OfWebhook> = { name: 'webhooks.send', payload }
export const forgettingType: JobType<OfWebhook> = { name: 'webhooks.forget', payload }

type Key = Pick<WebhookRow, 'workspace_id' | 'id'>

const enqueueFor =
  (kind: JobType<OfWebhook>) =>
  (tx: Tx, { workspace_id, id }: Key, now: number): Promise<void> =>
    enqueue(tx, { workspaceId: workspace_id, kind, payload: { webhook: id }, now, key: id })

/** Lets a webhook send what is due: one job at a time for each, which has several requests on their way. */
export const enqueueSending = enqueueFor(sendingType)

/** Lets what a deleted webhook has sent be deleted. */
export const enqueueForgetting = enqueueFor(forgettingType)
