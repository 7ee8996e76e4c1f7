import type { Knex } from 'knex'
import type { ReadTx, Sql } from '../../../db/tx.ts'
import { seesAll, whereVisible, type Asker } from '../../access/index.ts'
import { otherEnd, type LinkPlace } from '../object.ts'
import { recordColumns, type RecordRow } from '../store.ts'

/** The records at the other end of some links, and who looks at them. */
export type LinkedSet = { readonly workspaceId: string; readonly place: LinkPlace; readonly entity: string; readonly asker: Asker }

/** Live links, under an alias; joined to their records only where some of these may not be seen. */
export function linksOf({ knex }: Sql, { workspaceId, place, asker }: LinkedSet, alias: string): Knex.QueryBuilder {
  const links = knex(`link as ${alias}`)
    .where({ [`${alias}.workspace_id`]: workspaceId, [`${alias}.relationship`]: place.relationship })
    .whereNull(`${alias}.hidden_by`)
  if (seesAll(asker)) return links
  const record = `${alias}_record`
  const joined = links.join(`record as ${record}`, (on) => on.on(`${record}.workspace_id`, `${alias}.workspace_id`).on(`${record}.id`, `${alias}.${otherEnd(place)}`))
  return whereVisible(joined, record, asker)
}

export type RelatedRow = RecordRow & {
  readonly parent_id: string
  /** How many the parent is linked to, those beyond the limit included. */
  readonly linked: number
}

/**
 * The first records that each of some parents is linked to, in the order of their ids, so the oldest first; one query
 * for any number of parents, and of each parent no more rows than the limit.
 */
export const listRelated = (tx: ReadTx, set: LinkedSet, parentIds: readonly string[], limit: number): Promise<RelatedRow[]> =>
  tx.query((sql) => relatedQuery(sql, set, parentIds, limit), { heavy: true })

function relatedQuery(sql: Sql, set: LinkedSet, parentIds: readonly string[], limit: number): Knex.QueryBuilder {
  const { knex, dialect } = sql
  const { workspaceId, place, entity, asker } = set
  const other = otherEnd(place)
  const ofParent = (alias: string) => linksOf(sql, set, alias).where(`${alias}.${place.end}`, knex.ref('p.id'))
  const first = ofParent('n').select(`n.${other} as other_id`).orderBy(`n.${other}`).limit(limit)
  const parents = knex('record as p')
    .select('p.id', ofParent('c').count('* as linked').as('linked'), knex.select('f.other_id').from(first.as('f')).orderBy('f.other_id', 'desc').limit(1).as('last_id'))
    .where('p.workspace_id', workspaceId)
    .where(dialect.oneOf(knex, 'p.id', parentIds))
  const related = knex
    .select('parent.id as parent_id', 'parent.linked', ...recordColumns.map((column) => `r.${column}`))
    .from(parents.as('parent'))
    .join('link as l', (on) => on.on(`l.${place.end}`, 'parent.id').on(`l.${other}`, '<=', 'parent.last_id'))
    .join('record as r', (on) => on.on('r.workspace_id', 'l.workspace_id').on('r.id', `l.${other}`))
    .where({ 'l.workspace_id': workspaceId, 'l.relationship': place.relationship, 'r.object': entity })
    .whereNull('l.hidden_by')
    .whereNull('r.deleted_at')
    .orderBy([{ column: 'parent.id' }, { column: `l.${other}` }])
  return whereVisible(related, 'r', asker)
}

/** Live records by id that the caller may see. */
export const listVisible = (tx: ReadTx, { workspaceId, entity, asker }: Omit<LinkedSet, 'place'>, ids: readonly string[]): Promise<RecordRow[]> =>
  tx.query(
    ({ knex, dialect }) =>
      whereVisible(
        knex('record as r')
          .select(...recordColumns.map((column) => `r.${column}`))
          .where({ 'r.workspace_id': workspaceId, 'r.object': entity })
          .where(dialect.oneOf(knex, 'r.id', ids))
          .whereNull('r.deleted_at'),
        'r',
        asker,
      ),
    { heavy: ids.length > 50 },
  )
