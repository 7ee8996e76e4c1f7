import { DateTime } from 'luxon'
import { campaignTotalKinds, type CampaignTotal } from '@kontor/contract'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { newId } from '../../../kernel/ids.ts'
import { isOneOf } from '../../../lib/guards.ts'
import { addToCounts, listTotals } from '../../counters/index.ts'
import type { EngagementKind } from '../../emails/index.ts'
import { findSettings } from '../../settings/index.ts'
import { engagementCounters } from '../../workflows/index.ts'

const kindOf: Readonly<Record<EngagementKind, CampaignTotal['kind']>> = {
  send: 'sent',
  open: 'opened',
  click: 'clicked',
  reply: 'replied',
  bounce: 'bounced',
  unsubscribe: 'unsubscribed',
}

type Told = { readonly workflowId: string; readonly kind: EngagementKind; readonly at: number }

/** Counts an event of a campaign on its day in the time zone of the workspace. */
export async function addToTotals(tx: Tx, workspaceId: string, { workflowId, kind, at }: Told): Promise<void> {
  const { time_zone: zone } = await findSettings(tx, workspaceId)
  const day = DateTime.fromMillis(at, { zone }).toFormat('yyyy-MM-dd')
  await addToCounts(tx, workspaceId, new Map([[`${engagementCounters(workflowId)}${day}/${kindOf[kind]}`, 1]]), () =>
    newId(at),
  )
}

/** What happened in a campaign, by day and kind; days on which nothing happened are left out. */
export async function findTotals(
  tx: ReadTx,
  workspaceId: string,
  workflowId: string,
  { from, until }: { readonly from?: string | undefined; readonly until?: string | undefined },
): Promise<CampaignTotal[]> {
  const prefix = engagementCounters(workflowId)
  const totals = await listTotals(tx, workspaceId, prefix)
  return totals.flatMap(({ object, total }) => {
    const [day = '', kind] = object.slice(prefix.length).split('/')
    const isAsked = (from === undefined || day >= from) && (until === undefined || day <= until)
    return isAsked && isOneOf(campaignTotalKinds, kind) ? [{ day, kind, total }] : []
  })
}
