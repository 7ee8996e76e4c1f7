import { isDeepStrictEqual } from 'node:util'
import {
  attributesOf,
  type CampaignChange,
  type CampaignResource,
  type campaigns,
  type Input,
  type NewCampaign,
  type NewWorkflow,
  type WorkflowChange,
  type WorkflowNodeInput,
} from '@kontor/contract'
import type { WriteContext } from '../../kernel/implement.ts'
import { requireAsRead, requireSameId } from '../../kernel/preconditions.ts'
import { pointer } from '../../lib/pointers.ts'
import { findVisibleList } from '../lists/index.ts'
import { findObject } from '../objects/index.ts'
import { changeWorkflow, createWorkflow, removeWorkflow, touchWorkflow } from '../workflows/index.ts'
import { plainCampaign, type CampaignRow } from './enrolments/store.ts'
import type { Workflow } from '../definitions/index.ts'
import { type Plugins } from '../plugins/index.ts'
import { requireCampaign, findCampaign, putCampaign } from './store.ts'
import { campaignKinds } from './kind.ts'
import { enqueueRepacing } from './pacing/repace.ts'
import { presentCampaign } from './present.ts'

/** A campaign: its workflow, and what it has beside. */
export type Campaign = { readonly workflow: Workflow; readonly campaign: CampaignRow }

/** Creates a campaign as a draft. */
export async function createCampaign(
  ctx: WriteContext,
  plugins: Plugins,
  body: Input<typeof campaigns.create>['body'],
): Promise<Campaign> {
  const given = attributesOf<NewCampaign>(body)
  await requireList(ctx, given.list_id, 'data' in body)
  const { name, description, blocks = {}, exits, run_limits } = given
  const attributes: NewWorkflow = {
    name,
    description,
    type: 'sequence',
    trigger: triggerOf(given.list_id ?? null, given.first_block ?? firstOf(blocks)),
    blocks,
    exits,
    run_limits,
  }
  const workflow = await createWorkflow(ctx, { plugins, kinds: campaignKinds }, wrapped('data' in body, attributes))
  const plain = plainCampaign(workflow.row.id)
  const campaign = { ...plain, ...changesOf(plain, given) }
  await putCampaign(ctx.tx, ctx.workspace.workspaceId, campaign)
  return { workflow, campaign }
}

/** Attributes of a campaign that its own operations change. */
const fixed = ['state', 'enabled', 'started_at', 'enrolment_task_id'] as const

/** Changes a campaign; a change without a difference leaves no trace. `read` is the campaign before the change. */
export async function changeCampaign(
  ctx: WriteContext,
  plugins: Plugins,
  id: string,
  body: Input<typeof campaigns.update>['body'],
): Promise<Campaign & { readonly read: CampaignResource }> {
  if ('data' in body) requireSameId(ctx, body.data.id, id)
  const given = attributesOf<CampaignChange>(body)
  const before = await requireCampaign(ctx, id)
  const read = presentCampaign(before, await findCampaign(ctx.tx, ctx.workspace.workspaceId, id))
  requireAsRead(ctx, given, read.attributes, 'data' in body ? ['data', 'attributes'] : [], fixed)
  await requireList(ctx, given.list_id, 'data' in body)
  const { name, description, blocks, exits, run_limits } = given
  const first =
    given.first_block === undefined
      ? blocks === undefined
        ? before.graph.trigger.next
        : firstOf(blocks)
      : given.first_block
  const attributes: WorkflowChange = {
    name,
    description,
    blocks,
    exits,
    run_limits,
    // Parts of the trigger that only workflows can set, such as filters, stay.
    trigger: given.list_id === undefined ? { ...before.graph.trigger, next: first } : triggerOf(given.list_id, first),
  }
  const workflow = await changeWorkflow(ctx, { plugins, kinds: campaignKinds }, id, wrapped('data' in body, attributes))
  const stored = await findCampaign(ctx.tx, ctx.workspace.workspaceId, id)
  const campaign = { ...stored, ...changesOf(stored, given) }
  if (isDeepStrictEqual(campaign, stored)) return { workflow, campaign, read }
  await putCampaign(ctx.tx, ctx.workspace.workspaceId, campaign)
  if (!isDeepStrictEqual(campaign.sending, stored.sending))
    await enqueueRepacing(ctx.tx, ctx.workspace.workspaceId, id, ctx.clockNow)
  return {
    workflow: workflow.row.version === before.row.version ? await touchWorkflow(ctx, workflow) : workflow,
    campaign,
    read,
  }
}

/** Deletes a campaign for good; a job removes its runs and recipients. */
export async function removeCampaign(ctx: WriteContext, id: string): Promise<void> {
  await requireCampaign(ctx, id)
  await removeWorkflow(ctx, id)
}

function changesOf(
  { sending }: CampaignRow,
  { sending: given, ends_on_reply: ends }: Pick<CampaignChange, 'sending' | 'ends_on_reply'>,
): Partial<CampaignRow> {
  return {
    ...(given !== undefined && {
      sending: {
        daily_cap: given.daily_cap === undefined ? sending.daily_cap : given.daily_cap,
        per_domain_per_minute:
          given.per_domain_per_minute === undefined ? sending.per_domain_per_minute : given.per_domain_per_minute,
        window: given.window === undefined ? sending.window : given.window,
      },
    }),
    ...(ends !== undefined && { ends_on_reply: ends }),
  }
}

const triggerOf = (listId: string | null, next: string | null): WorkflowNodeInput =>
  listId === null
    ? { plugin_id: 'on:manual:execution', next }
    : { plugin_id: 'on:svc:add-to-list', input: { object: 'person', list_id: listId }, next }

/** The block that no other leads to: where the steps of a campaign begin. */
function firstOf(blocks: Readonly<Record<string, WorkflowNodeInput>>): string | null {
  const led = new Set(Object.values(blocks).map(({ next }) => next))
  return Object.keys(blocks).find((key) => !led.has(key)) ?? null
}

const wrapped = <A>(isWrapped: boolean, attributes: A) =>
  isWrapped ? { data: { type: 'workflow' as const, attributes } } : attributes

/** A campaign writes to the members of a list of people that its creator may see. */
async function requireList(ctx: WriteContext, id: string | null | undefined, isWrapped: boolean): Promise<void> {
  if (id === undefined || id === null) return
  const { object } = await findObject(ctx, 'person', 'name')
  if ((await findVisibleList(ctx, object.key, id)) !== undefined) return
  throw ctx.fail('invalid_body', {
    detail: 'There is no list of people with this id.',
    source: { pointer: pointer([...(isWrapped ? ['data', 'attributes'] : []), 'list_id']) },
  })
}
