import { aliased, isLive } from '../../../db/expressions.ts'
import type { Knex } from 'knex'
import { linkTotalInSql } from '../../counters/index.ts'
import { param, statement } from '../../../db/statement.ts'
import type { Sql } from '../../../db/sql.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { seesAll, whereVisible, type Principal } from '../../access/index.ts'
import type { LinkEnd } from '../../schemas/index.ts'
import { otherEnd } from '../../objects/index.ts'
import type { ShownRow } from '../present.ts'

/** The records at the other end of some links, and the principal for them. */
export type LinkedSet = {
  readonly workspaceId: string
  readonly linkEnd: LinkEnd
  readonly object: string
  readonly principal: Principal<'read'>
}

/** Live links under an alias; joined to their records only if some of these may be hidden. */
export function linksOf(sql: Sql, { workspaceId, linkEnd, principal }: LinkedSet, alias: string): Knex.QueryBuilder {
  const links = sql
    .knex(`link as ${alias}`)
    .where({ [`${alias}.workspace_id`]: workspaceId, [`${alias}.relationship`]: linkEnd.relationship })
    .whereNull(`${alias}.hidden_by`)
  if (seesAll(principal)) return links
  const record = `${alias}_record`
  const joined = links.join(`record as ${record}`, (on) =>
    on.on(`${record}.workspace_id`, `${alias}.workspace_id`).on(`${record}.id`, `${alias}.${otherEnd(linkEnd)}`),
  )
  return whereVisible(sql, joined, record, principal)
}

const shownColumns = [
  'id',
  'version',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
  'data',
] as const satisfies readonly (keyof ShownRow)[]

const columnsOf = (alias: string): string[] => shownColumns.map((column) => `${alias}.${column}`)

export type RelatedRow = ShownRow & {
  readonly parent_id: string
  /** Number of records that the parent is linked to, including those beyond the limit. */
  readonly linked: number
}

/**
 * Lists the first records that each of some parents is linked to, in the order of their ids, so the oldest first; one
 * query for any number of parents, at most `ofOne` rows for each parent, and at most one more than `inAll` altogether.
 */
export const listRelated = (
  tx: ReadTx,
  set: LinkedSet,
  parentIds: readonly string[],
  limits: { readonly ofOne: number; readonly inAll: number },
): Promise<RelatedRow[]> =>
  tx.query((sql) => relatedQuery(sql, set, parentIds, limits.ofOne).limit(limits.inAll + 1), { heavy: true })

/** The number of records that a parent is linked to, from a counter if the caller sees every record. */
function linked(sql: Sql, set: LinkedSet): Knex.QueryBuilder | Knex.Raw {
  const { knex } = sql
  if (!seesAll(set.principal))
    return linksOf(sql, set, 'c').where(`c.${set.linkEnd.end}`, knex.ref('p.id')).count('* as linked').as('linked')
  return aliased(sql, linkTotalInSql(sql, set.workspaceId, set.linkEnd, 'p.id'), 'linked')
}

function relatedQuery(sql: Sql, set: LinkedSet, parentIds: readonly string[], limit: number): Knex.QueryBuilder {
  const { knex, dialect } = sql
  const { workspaceId, linkEnd, object, principal } = set
  const other = otherEnd(linkEnd)
  const ofParent = (alias: string) => linksOf(sql, set, alias).where(`${alias}.${linkEnd.end}`, knex.ref('p.id'))
  const first = ofParent('n').select(`n.${other} as other_id`).orderBy(`n.${other}`).limit(limit)
  const parents = knex('record as p')
    .select(
      'p.id',
      linked(sql, set),
      knex.select('f.other_id').from(first.as('f')).orderBy('f.other_id', 'desc').limit(1).as('last_id'),
    )
    .where('p.workspace_id', workspaceId)
    .where(dialect.oneOf('p.id', parentIds))
  // Written as cross joins, because SQLite keeps their order: from the parents to their links to the records.
  const related = knex
    .withMaterialized('parent', parents)
    .select('parent.id as parent_id', 'parent.linked', ...columnsOf('r'))
    .from('parent')
    .crossJoin(knex.ref('link').as('l'))
    .crossJoin(knex.ref('record').as('r'))
    .where({
      'l.workspace_id': workspaceId,
      'l.relationship': linkEnd.relationship,
      [`l.${linkEnd.end}`]: knex.ref('parent.id'),
    })
    .where(`l.${other}`, '<=', knex.ref('parent.last_id'))
    .whereNull('l.hidden_by')
    .where({ 'r.workspace_id': workspaceId, 'r.id': knex.ref(`l.${other}`), 'r.object': object })
    .whereNull('r.deleted_at')
    .orderBy([{ column: 'parent.id' }, { column: `l.${other}` }])
  return whereVisible(sql, related, 'r', principal)
}

/** Most rows that are read on the main thread, as a list of 50 is: handing over so few costs more than finding them. */
const lightRowsMax = 50

/** For callers who see every record of the object, as nearly all do: prepared once. */
const byIds = statement<{ workspace_id: string; object: string; ids: unknown }, ShownRow>((sql) =>
  liveByIds(sql, param('workspace_id'), param('object'), param('ids')),
)

const liveByIds = (sql: Sql, workspaceId: string, object: string, ids: readonly string[]): Knex.QueryBuilder =>
  sql
    .knex('record as r')
    .select(...columnsOf('r'))
    .where({ 'r.workspace_id': workspaceId, 'r.object': object })
    .where(sql.dialect.oneOf('r.id', ids))
    .where(isLive(sql, 'r'))

/** The records of an object, and the principal for them. */
export type VisibleSet = Omit<LinkedSet, 'linkEnd'>

/** Lists live records by id that the caller may see. */
export function listVisible(
  tx: ReadTx,
  { workspaceId, object, principal }: VisibleSet,
  ids: readonly string[],
): Promise<ShownRow[]> {
  const options = { heavy: ids.length > lightRowsMax }
  if (seesAll(principal)) return tx.all(byIds, { workspace_id: workspaceId, object, ids }, options)
  return tx.query((sql) => whereVisible(sql, liveByIds(sql, workspaceId, object, ids), 'r', principal), options)
}
