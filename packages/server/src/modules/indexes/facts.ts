import type { Database, ReadTx } from '../../db/tx.ts'
import { rowsOfTable } from '../../db/workspaces.ts'
import { readSchemas } from '../schemas/index.ts'
import { named } from './names.ts'
import { objectOf } from './object-of.ts'
import type { IndexState } from './store.ts'

/** Facts about an index, for operators. The object and the field have the names that they have now, not their keys. */
export type FieldIndexFact = IndexState & {
  /** Slug of the workspace. */
  readonly workspace: string
  /** Records that the build has covered. */
  readonly filled: number
  /** Records of the object when the index was requested. */
  readonly total: number
  readonly requested_at: number
  readonly ready_at: number | null
  /** Recorded once an hour. */
  readonly last_used_at: number | null
}

type Row = FieldIndexFact & { readonly workspaceId: string }

/** Lists all indexes on demand of all workspaces. */
export async function fieldIndexFacts({ reader }: Pick<Database, 'reader'>): Promise<FieldIndexFact[]> {
  const byWorkspace = Map.groupBy(await listRows(reader), ({ workspaceId }) => workspaceId)
  const facts: FieldIndexFact[] = []
  for (const [workspaceId, rows] of byWorkspace) {
    const { schemas } = await readSchemas(reader, workspaceId)
    for (const { workspaceId: _, ...fact } of rows) {
      const object = objectOf(schemas, fact.object)
      facts.push(object === undefined ? fact : named(fact, object))
    }
  }
  return facts
}

const listRows = (reader: ReadTx): Promise<Row[]> =>
  rowsOfTable(
    reader,
    ({ knex }) =>
      knex('field_index_state as i')
        .join('workspace as w', 'w.id', 'i.workspace_id')
        .select(
          'w.slug as workspace',
          'w.id as workspaceId',
          'i.object',
          'i.field',
          'i.kind',
          'i.state',
          'i.filled',
          'i.total',
          'i.requested_at',
          'i.ready_at',
          'i.last_used_at',
        )
        .orderBy(['w.slug', 'i.object', 'i.field', 'i.kind']),
    'i.workspace_id',
  )
