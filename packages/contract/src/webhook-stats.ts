import { z } from 'zod'
import { id } from './shared.ts'

/** The deliveries that are looked at to tell how a webhook is doing. */
export const webhookStatsMax = 1000

export const webhookStats = z
  .object({
    type: z.literal('webhook-stats'),
    id: id.meta({ description: 'The id of the webhook.' }),
    attributes: z.object({
      deliveries: z.int().meta({
        description: `Number of deliveries that succeeded or failed, up to the last ${webhookStatsMax}.`,
      }),
      succeeded: z.int(),
      failed: z.int(),
      success_rate: z
        .number()
        .nullable()
        .meta({ description: 'The fraction that succeeded, from 0 to 1; null if there are none.', example: 0.98 }),
      duration_p50_ms: z
        .int()
        .nullable()
        .meta({ description: 'Median duration of the last attempts (50th percentile).' }),
      duration_p95_ms: z
        .int()
        .nullable()
        .meta({ description: '95th percentile of the duration of the last attempts.' }),
    }),
  })
  .meta({ id: 'WebhookStats' })
