import { inBatches } from '../../../engine/batches.ts'
import type { JobKind } from '../../../engine/types.ts'
import { deleteSome } from '../deliveries/store.ts'
import { forgettingType, type OfWebhook } from '../job-types.ts'
import { sendingKind, type SendingServices } from './send.ts'

/** Rows have up to 64 KiB. */
const rowsRange = { min: 20, max: 200 }

/** Deletes what a deleted webhook has sent. */
const forgettingKind: JobKind<OfWebhook> = {
  ...forgettingType,
  async run(context, { webhook }) {
    const key = { workspace_id: context.workspaceId, webhook_id: webhook }
    const said = await inBatches<'done'>(
      context,
      async (tx, rows) => ((await deleteSome(tx, key, rows)) ? 'more' : 'done'),
      rowsRange,
    )
    return said === 'more' ? { state: 'again', inMs: 0 } : { state: 'done' }
  },
}

/** The background jobs of webhooks. */
export const webhookJobs = (services: SendingServices) => [sendingKind(services), forgettingKind] as const
