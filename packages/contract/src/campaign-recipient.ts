import { z } from 'zod'
import { page, pageMeta, pageQuery, sortColumn, totalCapped } from './paging.ts'
import { commaList, id, timestamp } from './shared.ts'
import { begunStatuses } from './workflow-run.ts'

/** The progress of a person in a campaign. */
export const recipientStatuses = [...begunStatuses, 'skipped'] as const

export type RecipientStatus = (typeof recipientStatuses)[number]

/** Spec §3: what `filter[status]` takes. */
export const deliveryStatuses = ['scheduled', 'completed', 'paused', 'failed', 'unsubscribed'] as const

export type DeliveryStatus = (typeof deliveryStatuses)[number]

export const recipientEvents = ['opened', 'clicked', 'replied'] as const

export type RecipientEvent = (typeof recipientEvents)[number]

/** Spec §8. */
export const recipientPageMax = 500
export const recipientSearchMax = 50

/** Columns that recipients are sorted by. */
export const recipientSortColumns = [
  '_created_at',
  '_updated_at',
  'started_at',
  'ended_at',
  'resume_at',
  'status',
  'last_opened_at',
  'last_clicked_at',
  'last_replied_at',
] as const

const person = z
  .object({
    _id: id,
    name: z.object({
      first_name: z.string().nullable(),
      last_name: z.string().nullable(),
      full_name: z.string().nullable(),
    }),
    email_addresses: z.object({ items: z.array(z.string()) }),
    avatar_url: z.string().nullable(),
    job_title: z.string().nullable(),
    company_id: id.nullable(),
  })
  .meta({ id: 'CampaignRecipientPerson' })

export const campaignRecipient = z
  .object({
    type: z.literal('campaign_recipient'),
    id: id.meta({ description: 'The id of the run.' }),
    attributes: z.object({
      workflow_run_id: id.meta({ description: 'Equals `id`.' }),
      person,
      status: z.enum(recipientStatuses).meta({
        description:
          'The status of the run, or `skipped`. `filter[status]` groups these under names of its own: for example, ' +
          'it finds `success` as `completed`.',
      }),
      resume_at: timestamp.nullable().meta({ description: 'When it continues, if it waits.' }),
      current_block_id: z.string().nullable(),
      started_at: timestamp.nullable(),
      ended_at: timestamp.nullable(),
      exit_reason: z
        .string()
        .nullable()
        .meta({
          description:
            'The plugin of the event that ended it, or the reason why the person was skipped. ' +
            '`on:email:bounce` also if an e-mail bounced permanently after the end.',
          example: 'on:email:reply',
        }),
      exit_block_id: z.string().nullable(),
      has_opened: z.boolean(),
      has_clicked: z.boolean(),
      has_replied: z.boolean(),
      has_unsubscribed: z.boolean(),
      last_sent_at: timestamp
        .nullable()
        .meta({ description: 'When the mail server accepted the last e-mail to the person.' }),
      last_opened_at: timestamp.nullable(),
      last_clicked_at: timestamp.nullable(),
      last_replied_at: timestamp.nullable(),
      _created_at: timestamp,
      _updated_at: timestamp,
    }),
  })
  .meta({ id: 'CampaignRecipient', description: 'A person of a campaign, with their current run.' })

export type CampaignRecipient = z.infer<typeof campaignRecipient>

export const recipientQuery = z.strictObject({
  ...pageQuery({ limitDefault: recipientPageMax, limitMax: recipientPageMax }),
  sortOrder: sortColumn.optional().meta({ description: `By ${recipientSortColumns.join(', ')}.` }),
  filter: z
    .strictObject({
      status: z
        .enum(deliveryStatuses)
        .optional()
        .meta({
          description:
            'The state of the person in the campaign. `scheduled`: in progress (run status `pending`, ' +
            '`running`, `waiting`, `retrying` or `held`). `paused`: the same while the campaign is paused. ' +
            '`completed`: reached the end or an exit (run status `success`). `failed`: failed, was removed or ' +
            'skipped, or an e-mail bounced permanently. `unsubscribed`: has unsubscribed, whatever the run ' +
            'status.',
        }),
      event: commaList(z.enum(recipientEvents))
        .min(1)
        .max(recipientEvents.length)
        .optional()
        .meta({ description: 'People who did any of these.', example: ['opened', 'clicked'] }),
      q: z.string().max(recipientSearchMax).optional().meta({
        description: 'A part of the name or of an e-mail address, regardless of case; an empty text matches everyone.',
      }),
    })
    .optional(),
})

export const recipientPage = page(campaignRecipient).extend({
  meta: pageMeta.extend({
    total_capped: totalCapped,
    total_unfiltered: z.int().meta({ description: 'Recipients without the filter.' }),
    campaign_enabled: z.boolean(),
    list_evaluation_status: z
      .enum(['idle', 'evaluating', 'error'])
      .nullable()
      .meta({ description: 'The evaluation status of its list; null if it has none.' }),
    list_member_count: z.int().nullable().meta({ description: 'Members of its list that the caller may see.' }),
  }),
})

/** The result of enrolling one person. */
export const enrolments = [
  'enrolled',
  'already_active',
  'suppressed',
  'no_email',
  'invalid_email',
  'duplicate_address',
  'not_found',
] as const

export type Enrolment = (typeof enrolments)[number]

export const removals = ['removed', 'not_active', 'not_found'] as const

const resultOf = <const T extends readonly [string, ...string[]]>(statuses: T, name: string) =>
  z
    .object({
      data: z.array(
        z.object({
          id: id.meta({ description: 'The person.' }),
          status: z.enum(statuses),
          workflow_run_id: id
            .nullable()
            .meta({ description: 'The run that was started, is in progress or has ended.' }),
          detail: z.string().optional().meta({ description: 'Why the person was not enrolled.' }),
        }),
      ),
    })
    .meta({ id: name, description: 'A result for each person, in the order of the request.' })

export const enrolmentAnswer = resultOf(enrolments, 'CampaignEnrolmentAnswer')
export const removalAnswer = resultOf(removals, 'CampaignRemovalAnswer')

export type EnrolmentResult = z.infer<typeof enrolmentAnswer>['data'][number]
export type RemovalResult = z.infer<typeof removalAnswer>['data'][number]
