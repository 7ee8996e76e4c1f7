import { z } from 'zod'
import { id } from './shared.ts'

const recipientProgress = ['pending', 'sent', 'failed', 'suppressed'] as const

/** How far a person of a campaign is, as it is counted: each is in one of these. */
export type RecipientProgress = (typeof recipientProgress)[number]

export const campaignProgress = z
  .object({
    type: z.literal('campaign-progress'),
    id,
    attributes: z.object({
      enrolled: z.int().meta({ description: 'All of its people: the sum of the others, at every moment.' }),
      pending: z.int().meta({
        description: 'Who is under way: waits, is paused, or is written to again since the mail server said later.',
      }),
      sent: z.int().meta({
        description: 'Who has come to the end or to an exit, and was sent a letter at least.',
      }),
      failed: z.int().meta({
        description:
          'Whose run failed; to whom a letter came back for good, after the end too; who was taken out before the ' +
          'first one.',
      }),
      suppressed: z.int().meta({
        description: 'Who could not be written to: was skipped, is suppressed, or wanted no more before a letter.',
      }),
    }),
  })
  .meta({ id: 'CampaignProgress' })

export type CampaignProgressResource = z.infer<typeof campaignProgress>
