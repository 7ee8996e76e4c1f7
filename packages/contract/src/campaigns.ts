import { z } from 'zod'
import { campaignChange, campaignResource, campaignStates, newCampaign } from './campaign.ts'
import { enrolmentAnswer, recipientPage, recipientQuery, removalAnswer } from './campaign-recipient.ts'
import { preview, previewBody, previewExamples, testSendAnswer } from './campaign-preview.ts'
import { campaignProgress } from './campaign-progress.ts'
import { campaignTotal, campaignTotalsQuery } from './campaign-totals.ts'
import { domain } from './endpoint.ts'
import { exampleIds } from './example-ids.ts'
import { mutationMeta, mutationQuery } from './mutations.ts'
import { nameSearch, shortList } from './paging.ts'
import { recordReference } from './record-reference.ts'
import { empty, silentQuery, wrappedOrBare } from './shared.ts'

/** Columns that campaigns are sorted by. */
export const campaignSortColumns = ['name', '_created_at', '_updated_at'] as const

const answer = z.object({ data: campaignResource }).meta({ id: 'CampaignAnswer' })
const changeAnswer = z
  .object({ data: campaignResource, meta: mutationMeta.optional() })
  .meta({ id: 'CampaignChangeAnswer' })

const collection = '/workspaces/{workspace}/campaigns'
const one = `${collection}/{campaignId}` as const
const recipients = `${one}/recipients` as const

/** People whom one call enrols or takes out. */
export const enrolledAtOnceMax = 1000

const people = z.strictObject({
  items: z
    .array(recordReference)
    .min(1)
    .max(enrolledAtOnceMax)
    .meta({ description: 'Ids of people, or unique values of theirs.', example: [exampleIds.person] }),
})

const wait = { plugin_id: 'general:delay:for', input: { amount: 3, unit: 'days' } }

/** Spec §2, §4: sequences of e-mails to many people, and how each of them took it. */
export const campaigns = domain({
  list: {
    method: 'GET',
    path: collection,
    caller: 'any',
    scope: 'campaigns:read',
    summary: 'List campaigns',
    description: 'Lists the campaigns of the workspace, the oldest first unless sorted.',
    ...shortList(campaignResource, campaignSortColumns, {
      filter: z
        .strictObject({ state: z.enum(campaignStates).optional().meta({ description: 'Campaigns in this state.' }) })
        .optional(),
      ...nameSearch,
    }),
  },
  create: {
    method: 'POST',
    path: collection,
    caller: 'any',
    scope: 'campaigns:write',
    status: 201,
    versioned: true,
    emits: ['workflow.created'],
    summary: 'Create a campaign',
    description:
      'A campaign is a workflow of type `sequence`; both have the same id. It is a draft until it is ' +
      'started, and may be incomplete. It runs as its creator.',
    query: mutationQuery,
    body: wrappedOrBare('campaign', newCampaign),
    response: changeAnswer,
    examples: { body: { name: 'Welcome', blocks: { wait } } },
  },
  get: {
    method: 'GET',
    path: one,
    caller: 'any',
    scope: 'campaigns:read',
    versioned: true,
    summary: 'Get a campaign',
    description:
      'Returns the blocks, the state and the sending limits. To read recipients and totals, use their own operations.',
    response: answer,
  },
  update: {
    method: 'PATCH',
    path: one,
    caller: 'any',
    scope: 'campaigns:write',
    versioned: true,
    emits: ['workflow.updated'],
    summary: 'Update a campaign',
    description:
      'Only the attributes that you send change. People who have started keep their steps; `sending` and ' +
      '`ends_on_reply` apply to everyone immediately. Only its owner and admins may call it.',
    query: mutationQuery,
    body: wrappedOrBare('campaign', campaignChange),
    response: changeAnswer,
    examples: { body: { sending: { daily_cap: 500 } } },
  },
  remove: {
    method: 'DELETE',
    path: one,
    caller: 'any',
    scope: 'campaigns:write',
    status: 202,
    versioned: true,
    emits: ['workflow.deleted'],
    summary: 'Delete a campaign',
    description:
      'Deletes a campaign permanently, with its workflow, runs and recipients. Only its owner and admins ' +
      'may call it.',
    query: z.strictObject(silentQuery),
    response: empty,
  },
  start: {
    method: 'POST',
    path: `${one}/start`,
    caller: 'any',
    scope: 'campaigns:write',
    status: 200,
    versioned: true,
    emits: ['workflow.updated'],
    summary: 'Start a campaign',
    description:
      'Checks the steps, and enrols the members of the list by an async task, `enrolment_task_id`: people that its ' +
      '`acting_id` may see, with an address, who were never enrolled before. Each is e-mailed at their first ' +
      'address that is valid and not suppressed. If the campaign is already running, members who have joined the ' +
      'list since then are enrolled. Only its owner and admins may call it.',
    query: z.strictObject(silentQuery),
    response: answer,
  },
  pause: {
    method: 'POST',
    path: `${one}/pause`,
    caller: 'any',
    scope: 'campaigns:write',
    status: 200,
    versioned: true,
    emits: ['workflow.updated'],
    summary: 'Pause a campaign',
    description:
      'No recipient gets another step until it is resumed; an e-mail that is being sent at this moment ' +
      'is still sent. Waiting times pass. Only its owner and admins may call it.',
    query: z.strictObject(silentQuery),
    response: answer,
  },
  resume: {
    method: 'POST',
    path: `${one}/resume`,
    caller: 'any',
    scope: 'campaigns:write',
    status: 200,
    versioned: true,
    emits: ['workflow.updated'],
    summary: 'Resume a campaign',
    description:
      'Every recipient continues at their current step. A draft must be started instead. Only its owner ' +
      'and admins may call it.',
    query: z.strictObject(silentQuery),
    response: answer,
    errors: ['campaign_state'],
  },
  listRecipients: {
    method: 'GET',
    path: recipients,
    caller: 'any',
    scope: 'campaigns:read',
    recordScope: 'records:read',
    summary: 'List the recipients of a campaign',
    description:
      'Lists the people of a campaign that the caller may see, each with their current or last run, in the order of ' +
      'their enrolment unless sorted. A client that follows the links sees each recipient ' +
      'once, even if it removes people at the same time.',
    query: recipientQuery,
    response: recipientPage,
    errors: ['unknown_field', 'cursor_mismatch'],
  },
  getTotals: {
    method: 'GET',
    path: `${one}/totals`,
    caller: 'any',
    scope: 'campaigns:read',
    recordScope: 'records:read',
    summary: 'Get the totals of a campaign',
    description:
      'By day and kind, in the order of the days. Days on which nothing happened are omitted. Only people whom the ' +
      'caller may see are counted; for a caller who may not see all people of the workspace, each e-mail is counted ' +
      'on the day on which the event last happened.',
    query: campaignTotalsQuery,
    response: z.object({ data: z.array(campaignTotal) }).meta({ id: 'CampaignTotalsAnswer' }),
  },
  getProgress: {
    method: 'GET',
    path: `${one}/progress`,
    caller: 'any',
    scope: 'campaigns:read',
    recordScope: 'records:read',
    summary: 'Get the progress of a campaign',
    description:
      'Counts each person that the caller may see once: `pending`, `sent`, `failed` and `suppressed` add ' +
      'up to `enrolled`. When `pending` is 0, nothing is left to send.',
    response: z.object({ data: campaignProgress }).meta({ id: 'CampaignProgressAnswer' }),
  },
  preview: {
    method: 'POST',
    path: `${one}/preview`,
    caller: 'any',
    scope: 'campaigns:read',
    recordScope: 'records:read',
    safe: true,
    summary: 'Preview a campaign',
    description:
      'Returns the e-mails that a person would receive, with the data of the person that the caller may ' +
      'see. Nothing is sent.',
    body: previewBody,
    response: z.object({ data: preview }).meta({ id: 'CampaignPreviewAnswer' }),
    errors: ['match_ambiguous'],
    examples: previewExamples,
  },
  testSend: {
    method: 'POST',
    path: `${one}/test-send`,
    caller: 'any',
    scope: 'campaigns:write',
    recordScope: 'records:read',
    status: 202,
    summary: 'Send yourself a campaign',
    description:
      'Sends the e-mails that a person would receive to the address of the caller instead. Opens and ' +
      'clicks are not tracked, and no person is enrolled. A workspace key has no address. Only the owner ' +
      'of the campaign and admins may call it.',
    query: z.strictObject(silentQuery),
    body: previewBody,
    response: testSendAnswer,
    errors: ['match_ambiguous'],
    examples: previewExamples,
  },
  enrol: {
    method: 'POST',
    path: recipients,
    caller: 'any',
    scope: 'campaigns:write',
    recordScope: 'records:read',
    status: 200,
    summary: 'Enrol people',
    description:
      'Starts the campaign for people that the caller may see; each has a `status` in the response. ' +
      'People who have finished can be enrolled again; the list of a campaign enrols each person once. An unknown id ' +
      'is `not_found`; a unique value (`match`) that no person has refuses the whole request with 422. Only the ' +
      'owner of the campaign and admins may call it.',
    query: z.strictObject(silentQuery),
    body: people,
    response: enrolmentAnswer,
    errors: ['campaign_state', 'match_ambiguous'],
    examples: { body: { items: [exampleIds.person] } },
  },
  unenrol: {
    method: 'DELETE',
    path: recipients,
    caller: 'any',
    scope: 'campaigns:write',
    recordScope: 'records:read',
    status: 200,
    summary: 'Remove people from a campaign',
    description:
      'Their runs end as `cancelled` and stay in the list. An unknown id is `not_found`; a unique value (`match`) ' +
      'that no person has refuses the whole request with 422. Only the owner of the campaign and admins may call it.',
    query: z.strictObject(silentQuery),
    body: people,
    response: removalAnswer,
    errors: ['match_ambiguous'],
    examples: { body: { items: [exampleIds.person] } },
  },
})
