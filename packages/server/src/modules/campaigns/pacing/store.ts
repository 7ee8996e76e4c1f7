import type { Sending } from '@kontor/contract'
import { rowsOf, rowsIn, readColumn } from '../../../db/rows.ts'
import { param, statement } from '../../../db/statement.ts'
import type { RowOf } from '../../../db/columns.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { plainCampaign } from '../enrolments/store.ts'

type OfCampaign = { readonly workspace_id: string; readonly workflow_id: string }

/** The pace of a workflow's letters. */
type Paced = Pick<RowOf<'workflow'>, 'enabled'> & { readonly sending: Sending }

const paced = statement<OfCampaign, Omit<Paced, 'sending'> & { readonly sending: Sending | null }>(({ knex }) =>
  knex('workflow as w')
    .leftJoin('campaign as c', (on) => {
      on.on('c.workspace_id', 'w.workspace_id').on('c.workflow_id', 'w.id')
    })
    .select('w.enabled', 'c.sending')
    .where({ 'w.workspace_id': param('workspace_id'), 'w.id': param('workflow_id') }),
)

/** Finds the pace of a sequence; undefined if it is gone. It is read for each letter, so it is one short statement. */
export async function findPaced(tx: ReadTx, key: OfCampaign): Promise<Paced | undefined> {
  const row = await tx.first(paced, key)
  return row && { ...row, sending: row.sending ?? plainCampaign(key.workflow_id).sending }
}

const kept = statement<OfCampaign, Pick<RowOf<'workflow'>, 'enabled'>>(({ knex, dialect }) =>
  dialect.locked(
    knex('workflow')
      .select('enabled')
      .where({ workspace_id: param('workspace_id'), id: param('workflow_id') }),
    'keep',
  ),
)

/** Returns whether a sequence is enabled; if so, it stays so until the transaction ends. */
export const keepsEnabled = async (tx: Tx, key: OfCampaign): Promise<boolean> =>
  (await tx.first(kept, key))?.enabled === true

/** A place that a step has taken: the day that counts it, and when its letter may go out. */
export type Place = RowOf<'campaign_place'>

const placeColumns = ['workspace_id', 'run_id', 'step_key', 'day', 'due_at', 'throttled'] as const

export const findPlace = rowsOf<Place>('campaign_place', placeColumns).findByKey('workspace_id', 'run_id', 'step_key')

/** Stores the place of a step. */
export const putPlace = (tx: Tx, place: Place, isNew: boolean): Promise<void> =>
  isNew
    ? tx.insert('campaign_place', [place])
    : tx.updateByKey('campaign_place', ['workspace_id', 'run_id', 'step_key'], [place])

type Full = OfCampaign & { readonly day: string; readonly cap: number; readonly limit: number }

/** Days from one on that have all the letters that a day may have. */
export async function listFullDays(
  tx: Tx,
  { workspace_id, workflow_id, day, cap, limit }: Full,
): Promise<ReadonlySet<string>> {
  return new Set(
    await readColumn(tx, ({ knex }) =>
      knex('campaign_day')
        .select('day')
        .where({ workspace_id, workflow_id })
        .where('day', '>=', day)
        .where('taken', '>=', cap)
        .orderBy('day')
        .limit(limit),
    ),
  )
}

/** Counts a letter on a day, or takes it back; the campaign is held. */
export async function countOnDay(tx: Tx, key: OfCampaign & { readonly day: string }, by: 1 | -1): Promise<void> {
  const [fresh] = await tx.insertNew('campaign_day', [{ ...key, taken: Math.max(0, by) }], ['day'])
  if (fresh === undefined) await tx.change(({ knex }) => knex('campaign_day').where(key).increment('taken', by))
}

const oneDomain = statement<OfCampaign & { readonly domain: string }, { begins_at: number }>(({ knex }) =>
  knex('campaign_domain')
    .select('begins_at')
    .where({ workspace_id: param('workspace_id'), workflow_id: param('workflow_id'), domain: param('domain') }),
)

/** Takes the next place among the letters to a domain, so much apart; the campaign is held. */
export async function takeDomainPlace(
  tx: Tx,
  key: OfCampaign & { readonly domain: string },
  apartMs: number,
  now: number,
): Promise<number> {
  const known = await tx.first(oneDomain, key)
  const at = Math.max(now, known?.begins_at ?? now)
  const row = { ...key, begins_at: at + apartMs }
  if (known === undefined) await tx.insert('campaign_domain', [row])
  else await tx.updateByKey('campaign_domain', ['workspace_id', 'workflow_id', 'domain'], [row])
  return Math.ceil(at)
}

/** Gives back the places of a run whose time has not come. */
export async function deletePlaces(
  tx: Tx,
  { workspace_id, workflow_id, run_id }: OfCampaign & { readonly run_id: string },
  now: number,
): Promise<void> {
  const places = await tx.query<Pick<Place, 'step_key' | 'day'>>(({ knex }) =>
    knex('campaign_place').select('step_key', 'day').where({ workspace_id, run_id }).where('due_at', '>', now),
  )
  for (const { step_key, day } of places) {
    await tx.deleteByKey('campaign_place', [{ workspace_id, run_id, step_key }])
    await countOnDay(tx, { workspace_id, workflow_id, day }, -1)
  }
}

/** Lets the next letter to each domain of a campaign go out by a time, if it would later. */
export const moveDomainsUp = (tx: Tx, key: OfCampaign, by: number): Promise<unknown> =>
  tx.change(({ knex }) => knex('campaign_domain').where(key).where('begins_at', '>', by).update({ begins_at: by }))

/** Removes the places of runs that are gone; their days stay counted. */
export const removePlaces = rowsIn<Pick<Place, 'run_id'>, 'run_id'>('campaign_place', ['run_id'], 'run_id').remove

/** Removes what the letters of a campaign were paced by. */
export async function removePaces(tx: Tx, key: OfCampaign): Promise<void> {
  await Promise.all([tx.deleteByKey('campaign_day', [key]), tx.deleteByKey('campaign_domain', [key])])
}
