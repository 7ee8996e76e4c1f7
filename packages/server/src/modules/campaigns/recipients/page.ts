import {
  searchCountedMax,
  campaigns,
  campaignRecipient,
  type DeliveryStatus,
  type Input,
  type recipientSortColumns,
  type CampaignRecipient,
  type RecipientStatus,
} from '@kontor/contract'
import type { Slice } from '../../../db/in-order.ts'
import type { ReadTx } from '../../../db/tx.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { requestedOrder } from '../../../kernel/requested-order.ts'
import { cursorPages } from '../../../kernel/short-page.ts'
import { seesAll } from '../../access/index.ts'
import type { FieldIndexes } from '../../indexes/index.ts'
import { countEntries, findVisibleList } from '../../lists/index.ts'
import { findObject, listLive, type ObjectAccess } from '../../objects/index.ts'
import { presentRecords } from '../../query/index.ts'
import { recipientTotals, type RecipientTotals } from '../enrolments/totals.ts'
import type { Delivery } from '../enrolments/delivery.ts'
import type { RecipientRow } from '../enrolments/store.ts'
import type { Workflow } from '../../definitions/index.ts'
import { requireCampaign } from '../store.ts'
import { listOf } from '../present.ts'
import { valuesWith, engagementBits } from '../engagement/bits.ts'
import { peopleWith } from './search.ts'
import { countRecipients, listRecipients, type RecipientOrder, type SoughtRecipients } from './store.ts'
import { presenterOf } from '../../../kernel/resource.ts'
import { isString, itemsOf, memberOf } from '../../../lib/guards.ts'

const columns: Readonly<Record<(typeof recipientSortColumns)[number], RecipientOrder['column']>> = {
  _created_at: 'created_at',
  _updated_at: 'updated_at',
  started_at: 'started_at',
  ended_at: 'ended_at',
  resume_at: 'resume_at',
  status: 'run_status',
  last_opened_at: 'last_opened_at',
  last_clicked_at: 'last_clicked_at',
  last_replied_at: 'last_replied_at',
}

/**
 * Returns the meaning of `filter[status]` in a campaign that runs, or is held; undefined for what no recipient has
 * there.
 */
function deliveryOf(status: DeliveryStatus, { row }: Workflow): Delivery | undefined {
  if (status === 'scheduled') return row.enabled ? 'active' : undefined
  if (status === 'paused') return row.enabled ? undefined : 'active'
  return status
}

/** A page of the people of a campaign whom the caller may see (decision 0175). */
export async function pageOfRecipients(
  ctx: WorkspaceReadContext<'unknown_field' | 'cursor_mismatch'>,
  indexes: FieldIndexes,
  input: Input<typeof campaigns.listRecipients>,
) {
  const { campaignId, sortOrder, filter } = input
  const workflow = await requireCampaign(ctx, campaignId)
  const people = await findObject(ctx, 'person', 'read')
  const order = requestedOrder(ctx, sortOrder, columns, { column: 'created_at', descending: false })
  const isText = order.column === 'run_status'
  const pages = cursorPages(ctx, campaigns.listRecipients, input, { ...order, isText })
  const { status, event } = filter ?? {}
  const q = filter?.q === '' ? undefined : filter?.q
  const delivery = status === undefined ? undefined : deliveryOf(status, workflow)
  const all: SoughtRecipients = {
    workspaceId: ctx.workspace.workspaceId,
    workflowId: workflow.row.id,
    principal: people.principal,
    delivery: undefined,
    engagement: undefined,
    people: undefined,
    isOneByOne: false,
  }
  const asked: SoughtRecipients = {
    ...all,
    delivery,
    engagement: event && valuesWith(event),
    people: q === undefined ? undefined : await peopleWith(ctx, indexes, people, q),
  }
  const [{ enrolled: unfiltered, deliveries }, list] = await Promise.all([
    countAll(ctx.tx, all),
    listFacts(ctx, workflow, people),
  ])
  const isOfNoOne = status !== undefined && delivery === undefined
  const withDelivery = delivery === undefined ? unfiltered : deliveries?.[delivery]
  const known = event === undefined && q === undefined ? withDelivery : undefined
  const { found, total, isCapped } = isOfNoOne
    ? { found: [], total: 0 }
    : await findPage(ctx.tx, asked, { order, slice: pages.part, unfiltered, known })
  const { rows, meta, links } = pages.envelope(found, total, (row) => positionOf(row, order))
  return {
    data: await presentAll(ctx, people, rows),
    meta: {
      ...meta,
      ...(isCapped === true && { total_capped: true as const }),
      total_unfiltered: unfiltered,
      campaign_enabled: workflow.row.enabled,
      ...list,
    },
    links,
  }
}

/** Returns the number of recipients that the caller may see, by progress if that is known. */
async function countAll(
  tx: ReadTx,
  all: SoughtRecipients,
): Promise<Pick<RecipientTotals, 'enrolled'> & Partial<RecipientTotals>> {
  if (seesAll(all.principal)) return recipientTotals(tx, all.workspaceId, all.workflowId)
  return { enrolled: await countRecipients(tx, all) }
}

/** Where a row is in an order: a cursor has a status by the name that the row shows. */
const positionOf = (row: RecipientRow, { column }: RecipientOrder) => ({
  value: column === 'run_status' ? statusOf(row) : row[column],
  id: row.person_id,
})

type PageOrder = {
  readonly order: RecipientOrder
  readonly slice: Slice
  /** Recipients that the caller may see. */
  readonly unfiltered: number
  /** Those among them who are requested, where that is known. */
  readonly known: number | undefined
}

type Found = {
  readonly found: readonly RecipientRow[]
  readonly total: number
  /** Counting stopped before the end. */
  readonly isCapped?: boolean
}

/**
 * The recipients in a page, and how many there are. Of those in whom a text occurs no more are counted than of the hits
 * of a search. Where it occurs in more, a page finds its own sooner than all of them.
 */
async function findPage(
  tx: ReadTx,
  asked: SoughtRecipients,
  { order, slice, unfiltered, known }: PageOrder,
): Promise<Found> {
  if (asked.people === undefined) {
    const [found, total] = await Promise.all([
      listRecipients(tx, asked, order, slice),
      known ?? countRecipients(tx, asked),
    ])
    return { found, total }
  }
  const isSmall = unfiltered <= searchCountedMax
  const counted = await countRecipients(tx, { ...asked, isOneByOne: isSmall }, searchCountedMax + 1)
  const isCapped = counted > searchCountedMax
  const found = await listRecipients(tx, { ...asked, isOneByOne: isSmall || isCapped }, order, slice)
  return { found, total: Math.min(counted, searchCountedMax), isCapped }
}

/** The list of a campaign, as far as the caller may see it. */
async function listFacts(ctx: WorkspaceReadContext, workflow: Workflow, { object, principal }: ObjectAccess<'read'>) {
  const id = listOf(workflow)
  const list = id === null ? undefined : await findVisibleList(ctx, object.key, id)
  if (list === undefined) return { list_evaluation_status: null, list_member_count: null }
  const members = await countEntries(ctx.tx, ctx.workspace.workspaceId, list.id, principal)
  return { list_evaluation_status: list.evaluation_status, list_member_count: members }
}

async function presentAll(ctx: WorkspaceReadContext, { object }: ObjectAccess<'read'>, rows: readonly RecipientRow[]) {
  const { workspaceId } = ctx.workspace
  const ids = rows.map(({ person_id }) => person_id)
  const live = ids.length === 0 ? [] : await listLive(ctx.tx, workspaceId, object.key, ids)
  const shown = new Set(['name', 'email_addresses', 'avatar_url', 'job_title', 'company_id'])
  const records = new Map(
    (await presentRecords(ctx, object, live, shown)).map(({ id, attributes }) => [id, attributes]),
  )
  // A person who is deleted between two reads leaves the page.
  return rows.flatMap((row) => {
    const attributes = records.get(row.person_id)
    return attributes === undefined ? [] : [presentRecipient(row, attributes)]
  })
}

type Attributes = Readonly<Record<string, unknown>>

const textOrNull = (value: unknown): string | null => (isString(value) && value !== '' ? value : null)

const presentPerson = (id: string, attributes: Attributes): CampaignRecipient['attributes']['person'] => {
  const { name, email_addresses: addresses, avatar_url: avatar, job_title: title, company_id: company } = attributes
  return {
    _id: id,
    name: {
      first_name: textOrNull(memberOf(name, 'first_name')),
      last_name: textOrNull(memberOf(name, 'last_name')),
      full_name: textOrNull(memberOf(name, 'full_name')),
    },
    email_addresses: { items: itemsOf(addresses).filter(isString) },
    avatar_url: textOrNull(avatar),
    job_title: textOrNull(title),
    company_id: textOrNull(company),
  }
}

/** The status of a recipient as it is shown. */
const statusOf = ({ run_status: status }: RecipientRow): RecipientStatus =>
  status === 'suppressed' ? 'skipped' : status

const present = presenterOf(campaignRecipient)

/** A person of a campaign; the attributes are those of their record, as the caller sees it. */
const presentRecipient = (row: RecipientRow, attributes: Attributes): CampaignRecipient => {
  const has = (bit: number): boolean => (row.engagement & bit) !== 0
  return present(
    { ...row, id: row.run_id },
    {
      workflow_run_id: row.run_id,
      person: presentPerson(row.person_id, attributes),
      status: statusOf(row),
      current_block_id: row.current_block,
      exit_reason: row.exit_plugin,
      exit_block_id: row.exit_node,
      has_opened: has(engagementBits.opened),
      has_clicked: has(engagementBits.clicked),
      has_replied: has(engagementBits.replied),
    },
  )
}
