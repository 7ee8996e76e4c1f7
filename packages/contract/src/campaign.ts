import { z } from 'zod'
import { timeZone } from './setting.ts'
import { id, timestamp } from './shared.ts'
import { newWorkflow, workflowChange, workflowGraph, workflowStops } from './workflow.ts'

export const campaignStates = ['draft', 'running', 'paused'] as const

export type CampaignState = (typeof campaignStates)[number]

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

export type Weekday = (typeof weekdays)[number]

const time = z
  .string()
  .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time such as 09:00')
  .meta({ example: '09:00' })

export const sendingWindow = z
  .strictObject({
    days: z
      .array(z.enum(weekdays))
      .min(1)
      .max(7)
      .default([...weekdays])
      .meta({ description: 'Days of the week; by default all.' }),
    from: time,
    until: time.meta({ description: 'Later than `from` on the same day; `24:00` is its end.', example: '17:00' }),
    time_zone: z
      .union([z.enum(['workspace', 'recipient']), timeZone])
      .default('workspace')
      .meta({
        description:
          'The time zone of these times: `workspace` for the setting `time_zone`; `recipient` for the field ' +
          '`time_zone` of the person, or that of the workspace if it is empty; or an IANA name.',
        example: 'recipient',
      }),
  })
  .refine(({ from, until }) => from < until, { error: 'must be later than `from`', path: ['until'] })
  .meta({ id: 'CampaignWindow' })

export type SendingWindow = z.infer<typeof sendingWindow>

const atMost = (max: number) => z.int().min(1).max(max).nullable()

const limits = {
  daily_cap: atMost(1_000_000).meta({
    description: 'E-mails in one day of the workspace; null for any number.',
    example: 500,
  }),
  per_domain_per_minute: atMost(60_000).meta({
    description: 'E-mails in a minute to addresses of one domain; null for any number.',
    example: 30,
  }),
}

/** When and how fast a campaign sends. */
export const sending = z.object({ ...limits, window: z.union([sendingWindow, z.null()]) }).meta({
  id: 'CampaignSending',
  description: 'When and how fast e-mails are sent. E-mails that must wait are sent later.',
})

export type Sending = z.infer<typeof sending>

const sendingInput = z
  .strictObject({
    daily_cap: limits.daily_cap.optional(),
    per_domain_per_minute: limits.per_domain_per_minute.optional(),
    window: z.union([sendingWindow, z.null()]).optional(),
  })
  .meta({ id: 'CampaignSendingInput', description: 'Omitted attributes stay.' })

const more = {
  list_id: id.nullable().optional().meta({
    description: 'A list of people: its members are enrolled at the start, later ones as they join. null for none.',
  }),
  sending: sendingInput.optional(),
  ends_on_reply: z
    .boolean()
    .optional()
    .meta({ description: 'True if a reply ends the run of a person. By default true.' }),
}

const { trigger: _trigger, type: _type, enabled: _enabled, ...named } = newWorkflow.shape

export const newCampaign = z
  .strictObject({
    ...named,
    ...more,
    first_block: z.string().min(1).max(64).nullable().optional().meta({
      description: 'The key of the block that comes first; by default the one that no other leads to.',
    }),
  })
  .meta({ id: 'NewCampaign' })

export type NewCampaign = z.infer<typeof newCampaign>

const { name, description, blocks, exits, run_limits } = workflowChange.shape

/** Read-only members of a campaign, which a body may send back as they were read. */
const { _id, version, owner_id, acting_id, stopped_reason, _created_at, _created_by, _updated_at, _updated_by } =
  workflowChange.shape
const readBack = {
  _id,
  version,
  owner_id,
  acting_id,
  stopped_reason,
  _created_at,
  _created_by,
  _updated_at,
  _updated_by,
  state: z.enum(campaignStates).optional(),
  enabled: z.boolean().optional(),
  started_at: timestamp.nullish(),
  enrolment_task_id: id.nullish(),
}

export const campaignChange = z
  .strictObject({
    name,
    description,
    blocks,
    exits,
    run_limits,
    first_block: newCampaign.shape.first_block,
    ...more,
    ...readBack,
  })
  .meta({ id: 'CampaignChange', description: 'Omitted attributes stay.' })

export type CampaignChange = z.infer<typeof campaignChange>

export const campaignResource = z
  .object({
    type: z.literal('campaign'),
    id: id.meta({ description: 'The id of the campaign, and of its workflow.' }),
    attributes: z.object({
      _id: id,
      name: z.string(),
      description: z.string(),
      state: z.enum(campaignStates).meta({ description: '`draft` until it is started.' }),
      enabled: z.boolean().meta({ description: 'True if it is running.' }),
      list_id: id.nullable(),
      sending,
      ends_on_reply: z.boolean(),
      first_block: z.string().nullable(),
      blocks: workflowGraph.shape.blocks,
      exits: workflowGraph.shape.exits,
      run_limits: workflowGraph.shape.run_limits,
      version: z
        .int()
        .meta({ description: 'Version of its steps; a recipient keeps the version that they began with.' }),
      owner_id: id.meta({
        description:
          'The user or workspace key that created it. They may change it, and so may admins and `acting_id`.',
      }),
      acting_id: id.meta({
        description: 'The user or workspace key it runs as: the one that last started it or changed its steps.',
      }),
      stopped_reason: z.enum(workflowStops).nullable().meta({ description: 'Why the server paused it.' }),
      started_at: timestamp.nullable(),
      enrolment_task_id: id
        .nullable()
        .meta({ description: 'The async task that enrols, or has enrolled, the members of its list.' }),
      _created_at: timestamp,
      _created_by: id,
      _updated_at: timestamp,
      _updated_by: id,
    }),
  })
  .meta({ id: 'Campaign' })

export type CampaignResource = z.infer<typeof campaignResource>
