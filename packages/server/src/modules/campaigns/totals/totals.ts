import { DateTime } from 'luxon'
import { campaignTotalKinds, type CampaignTotal } from '@kontor/contract'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { newId } from '../../../kernel/ids.ts'
import { isOneOf } from '../../../lib/guards.ts'
import { addToCounts, listTotals } from '../../counters/index.ts'
import { countSeenLetters, quarterMs, type EngagementKind } from '../../emails/index.ts'
import { findSettings } from '../../settings/index.ts'
import { seesAll, type Principal } from '../../access/index.ts'
import { engagementCounters } from '../enrolments/enrolments.ts'

const kindOf: Readonly<Record<EngagementKind, CampaignTotal['kind']>> = {
  send: 'sent',
  open: 'opened',
  click: 'clicked',
  reply: 'replied',
  bounce: 'bounced',
  unsubscribe: 'unsubscribed',
}

type TotalEvent = { readonly workflowId: string; readonly kind: EngagementKind; readonly at: number }

/** Counts an event of a campaign on its day in the time zone of the workspace. */
export async function addToTotals(tx: Tx, workspaceId: string, { workflowId, kind, at }: TotalEvent): Promise<void> {
  const { time_zone: zone } = await findSettings(tx, workspaceId)
  const day = DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd')
  await addToCounts(tx, workspaceId, new Map([[`${engagementCounters(workflowId)}${day}/${kindOf[kind]}`, 1]]), () =>
    newId(at),
  )
}

type Days = { readonly from?: string | undefined; readonly until?: string | undefined }

type OfCampaign = {
  readonly workspaceId: string
  readonly workflowId: string
  readonly principal: Principal<'read'>
}

/**
 * Returns what happened in a campaign with the people whom a caller sees, by day and kind; days on which nothing
 * happened are omitted. Counters know no people: for callers who do not see all of them the letters are counted (0175).
 */
export async function findTotals(tx: ReadTx, campaign: OfCampaign, { from, until }: Days): Promise<CampaignTotal[]> {
  const totals = seesAll(campaign.principal) ? await allTotals(tx, campaign) : await seenTotals(tx, campaign)
  return totals.filter(({ day }) => (from === undefined || day >= from) && (until === undefined || day <= until))
}

async function allTotals(tx: ReadTx, { workspaceId, workflowId }: OfCampaign): Promise<CampaignTotal[]> {
  const prefix = engagementCounters(workflowId)
  const totals = await listTotals(tx, workspaceId, prefix)
  return totals.flatMap(({ object, total }) => {
    const [day = '', kind] = object.slice(prefix.length).split('/')
    return isOneOf(campaignTotalKinds, kind) ? [{ day, kind, total }] : []
  })
}

/** Counters are in this order. */
const placeOf = ({ day, kind }: CampaignTotal): string => `${day}/${kind}`

async function seenTotals(tx: ReadTx, campaign: OfCampaign): Promise<CampaignTotal[]> {
  const { time_zone: zone } = await findSettings(tx, campaign.workspaceId)
  const totals: CampaignTotal[] = []
  for (const kind of campaignTotalKinds) {
    const byDay = new Map<string, number>()
    for (const { quarter, total } of await countSeenLetters(tx, campaign, kind)) {
      const day = DateTime.fromMillis(quarter * quarterMs, { zone }).toFormat('yyyy-MM-dd')
      byDay.set(day, (byDay.get(day) ?? 0) + total)
    }
    totals.push(...[...byDay].map(([day, total]) => ({ day, kind, total })))
  }
  return totals.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
}
