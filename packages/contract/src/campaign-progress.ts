import { z } from 'zod'
import { id } from './shared.ts'

const recipientProgress = ['pending', 'sent', 'failed', 'suppressed'] as const

/** The progress of a person in a campaign; each person is in exactly one of these. */
export type RecipientProgress = (typeof recipientProgress)[number]

export const campaignProgress = z
  .object({
    type: z.literal('campaign-progress'),
    id,
    attributes: z.object({
      enrolled: z.int().meta({ description: 'All people of the campaign; always the sum of the other numbers.' }),
      pending: z.int().meta({
        description:
          'People in progress: they wait, are paused, or are retried because the mail server asked to try later.',
      }),
      sent: z.int().meta({
        description: 'People who reached the end or an exit, and received at least one e-mail.',
      }),
      failed: z.int().meta({
        description:
          'People whose run failed, whose e-mail bounced permanently (even after the end), or who were ' +
          'removed before the first e-mail.',
      }),
      suppressed: z.int().meta({
        description:
          'People who could not be e-mailed: they were skipped, are suppressed, or unsubscribed before the ' +
          'first e-mail.',
      }),
    }),
  })
  .meta({ id: 'CampaignProgress' })

export type CampaignProgressResource = z.infer<typeof campaignProgress>
