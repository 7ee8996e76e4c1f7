import { z } from 'zod'

/** The events that a campaign counts. */
export const campaignTotalKinds = ['sent', 'opened', 'clicked', 'replied', 'bounced', 'unsubscribed'] as const

export const campaignTotal = z
  .object({
    day: z.iso.date().meta({ description: 'A day of the workspace, by its `time_zone`.' }),
    kind: z.enum(campaignTotalKinds),
    total: z.int().meta({ description: 'The number of events: a person who opens twice is counted twice.' }),
  })
  .meta({ id: 'CampaignTotal' })

export type CampaignTotal = z.infer<typeof campaignTotal>

export const campaignTotalsQuery = z.strictObject({
  from: z.iso.date().optional().meta({ description: 'The first day; by default that of the start.' }),
  until: z.iso.date().optional().meta({ description: 'The last day; by default today.' }),
})
