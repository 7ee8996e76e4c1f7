import { z } from 'zod'
import { exampleIds } from './example-ids.ts'
import { recordReference } from './record-reference.ts'
import { id } from './shared.ts'

/** The e-mails of a preview, and their recipient. */
export const previewBody = z.strictObject({
  person_id: recordReference,
})

export const previewExamples = { body: { person_id: exampleIds.person } }

const letter = z
  .object({
    block_id: z.string(),
    to: z.string().nullable().meta({ description: 'null for a person without an address.' }),
    subject: z.string(),
    text: z.string(),
    html: z.string().nullable(),
    attachments: z.array(z.string()).meta({ description: 'The ids of its attachments.' }),
  })
  .meta({ id: 'CampaignLetter', description: 'As it would be sent, without tracking links.' })

export type CampaignLetter = z.infer<typeof letter>

export const preview = z.object({
  type: z.literal('campaign-preview'),
  id,
  attributes: z.object({ person_id: id, letters: z.array(letter).meta({ description: 'In the order of the steps.' }) }),
})

export const testSendAnswer = z
  .object({
    data: z.object({
      to: z.string().meta({ description: 'The address of the caller.', example: 'ada@example.com' }),
      letters: z.int(),
    }),
  })
  .meta({ id: 'CampaignTestAnswer' })
