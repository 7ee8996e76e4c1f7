import { z } from 'zod'
import { id } from './shared.ts'

/** The deliveries that are looked at to tell how a webhook is doing. */
export const webhookStatsMax = 1000

export const webhookStats = z
  .object({
    type: z.literal('webhook-stats'),
    id: id.meta({ description: 'The id of the webhook.' }),
    attributes: z.object({
      deliveries: z.int().meta({ description: `That succeeded or failed; the last ${webhookStatsMax} at most.` }),
      succeeded: z.int(),
      failed: z.int(),
      success_rate: z
        .number()
        .nullable()
        .meta({ description: 'The part of them that succeeded, from 0 to 1; null without any.', example: 0.98 }),
      duration_p50_ms: z.int().nullable().meta({ description: 'Half of their last attempts took no longer.' }),
      duration_p95_ms: z.int().nullable().meta({ description: '95 of 100 of their last attempts took no longer.' }),
    }),
  })
  .meta({ id: 'WebhookStats' })
