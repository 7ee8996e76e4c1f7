import { campaigns, type CampaignResource, type RecordReference, type Input } from '@kontor/contract'
import { implement, type WriteContext, type WorkspaceReadContext } from '../../kernel/implement.ts'
import { resource } from '../../kernel/resource.ts'
import type { FieldIndexes } from '../indexes/index.ts'
import { findObject } from '../objects/index.ts'
import { resolveReference, resolveReferences } from '../records/index.ts'
import { changeWorkflow, rehearsalMeta } from '../workflows/index.ts'
import type { Plugins } from '../plugins/index.ts'
import { requireCampaign, findCampaign, findCampaigns } from './store.ts'
import { campaignKinds } from './kind.ts'
import { enrolPeople, unenrolPeople } from './enrol/by-call.ts'
import { enrolList, resumeEnrolment } from './enrol/by-list.ts'
import { presentCampaign } from './present.ts'
import { lettersFor } from './preview/letters.ts'
import { sendTest } from './preview/test-send.ts'
import { pageOfRecipients } from './recipients/page.ts'
import { progressOf } from './recipients/progress.ts'
import { changeCampaign, createCampaign, removeCampaign, type Campaign } from './service.ts'
import { findTotals } from './totals/totals.ts'
import { shortPage } from '../../kernel/short-page.ts'
import { workflowsAmong, workflowSorting } from '../definitions/index.ts'

export type CampaignServices = {
  readonly plugins: Plugins
  readonly indexes: FieldIndexes
}

const answer = ({ workflow, campaign }: Campaign) => ({
  body: { data: presentCampaign(workflow, campaign) },
  version: workflow.row.version,
})

/** Answers a change; a dry run with its differences from the campaign before, if there was one. */
function changed({ read, ...campaign }: Campaign & { readonly read?: CampaignResource }, dryRun: boolean | undefined) {
  const { body, version } = answer(campaign)
  return { body: { ...body, ...rehearsalMeta(dryRun, read, body.data) }, version }
}

const idsOf = (ctx: WriteContext<'match_ambiguous'>, items: readonly RecordReference[]): Promise<string[]> =>
  resolveReferences(
    ctx,
    items,
    () => 'person',
    (index) => ['items', index],
  )

/** The refusal to resume a draft. */
const draft = { detail: 'This campaign is a draft: start it instead.', meta: { state: 'draft' } } as const

export function campaignHandlers({ plugins, indexes }: CampaignServices) {
  /** Lets a campaign run, or holds it; one that is so already stays as it is. */
  async function enable(ctx: WriteContext, id: string, enabled: boolean): Promise<Campaign> {
    await requireCampaign(ctx, id)
    const workflow = await changeWorkflow(ctx, { plugins, kinds: campaignKinds }, id, { enabled })
    return { workflow, campaign: await findCampaign(ctx.tx, ctx.workspace.workspaceId, id) }
  }

  return implement(campaigns, {
    list: async (ctx, input) => ({ body: await pageOfCampaigns(ctx, input) }),

    create: async (ctx, { body, dry_run }) => changed(await createCampaign(ctx, plugins, body), dry_run),

    async get(ctx, { campaignId: id }) {
      const workflow = await requireCampaign(ctx, id)
      return answer({ workflow, campaign: await findCampaign(ctx.tx, ctx.workspace.workspaceId, id) })
    },

    update: async (ctx, { campaignId, body, dry_run }) =>
      changed(await changeCampaign(ctx, plugins, campaignId, body), dry_run),

    async remove(ctx, { campaignId }) {
      await removeCampaign(ctx, campaignId)
      return { body: {} }
    },

    start: async (ctx, { campaignId }) => answer(await enrolList(ctx, await enable(ctx, campaignId, true))),

    pause: async (ctx, { campaignId }) => answer(await enable(ctx, campaignId, false)),

    async resume(ctx, { campaignId }) {
      const { row } = await requireCampaign(ctx, campaignId)
      if (row.published_at === null) throw ctx.fail('campaign_state', draft)
      return answer(await resumeEnrolment(ctx, await enable(ctx, campaignId, true)))
    },

    listRecipients: async (ctx, input) => ({ body: await pageOfRecipients(ctx, indexes, input) }),

    async getTotals(ctx, { campaignId, from, until }) {
      const { row } = await requireCampaign(ctx, campaignId)
      const { principal } = await findObject(ctx, 'person', 'read')
      const campaign = { workspaceId: ctx.workspace.workspaceId, workflowId: row.id, principal }
      return { body: { data: await findTotals(ctx.tx, campaign, { from, until }) } }
    },

    getProgress: async (ctx, { campaignId }) => ({ body: { data: await progressOf(ctx, campaignId) } }),

    async preview(ctx, { campaignId, body }) {
      const campaign = await requireCampaign(ctx, campaignId)
      const person_id = await resolveReference(ctx, body.person_id, 'person', ['person_id'])
      const letters = await lettersFor(ctx, campaign, person_id)
      return { body: { data: resource('campaign-preview', campaignId, { person_id, letters }) } }
    },

    async testSend(ctx, { campaignId, body }) {
      const campaign = await requireCampaign(ctx, campaignId)
      const personId = await resolveReference(ctx, body.person_id, 'person', ['person_id'])
      return { body: { data: await sendTest(ctx, campaign, personId) } }
    },

    enrol: async (ctx, { campaignId, body }) => ({
      body: { data: await enrolPeople(ctx, campaignId, await idsOf(ctx, body.items)) },
    }),

    unenrol: async (ctx, { campaignId, body }) => ({
      body: { data: await unenrolPeople(ctx, campaignId, await idsOf(ctx, body.items)) },
    }),
  })
}

const states = {
  draft: { isPublished: false },
  running: { enabled: true },
  paused: { isPublished: true, enabled: false },
} as const

async function pageOfCampaigns(ctx: WorkspaceReadContext<'unknown_field'>, input: Input<typeof campaigns.list>) {
  const { workspaceId } = ctx.workspace
  const state: { readonly isPublished?: boolean; readonly enabled?: boolean } =
    input.filter?.state === undefined ? {} : states[input.filter.state]
  const read = workflowsAmong({
    workspaceId,
    equal: { type: 'sequence', ...(state.enabled !== undefined && { enabled: state.enabled }) },
    search: input.search,
    isPublished: state.isPublished,
  })
  const { rows, ...envelope } = await shortPage(ctx, campaigns.list, input, { ...workflowSorting, read })
  const ids = rows.map(({ row }) => row.id)
  const campaignOf = await findCampaigns(ctx.tx, workspaceId, ids)
  return { data: rows.map((workflow) => presentCampaign(workflow, campaignOf(workflow.row.id))), ...envelope }
}
