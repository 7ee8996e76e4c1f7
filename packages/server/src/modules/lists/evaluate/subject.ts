import type { ReadTx } from '../../../db/tx.ts'
import type { Actor } from '../../../kernel/actor.ts'
import { Failure } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { PinnedSchemas } from '../../../kernel/pinned-schemas.ts'
import { askerOf } from '../../access/index.ts'
import { compileObject, firstMembers, matchingMembers, type Members, type ObjectModel } from '../../records/index.ts'
import { readSchemas, type SchemaSet } from '../../schemas/index.ts'
import { resolveQuery, type QueryContext, type ResolvedQuery } from '../query/resolve.ts'
import type { ListRow } from '../store.ts'

/** A list whose membership is looked after: the same for everybody, so nothing is hidden from it. */
export type Subject = {
  readonly workspaceId: string
  readonly row: ListRow
  readonly object: ObjectModel
  readonly query: ResolvedQuery
  /** The records that it has now. */
  readonly members: Members
}

/** In whose name records join and leave a list. */
export const actorOf = ({ owner_id, created_by }: ListRow, workspaceId: string): Actor =>
  owner_id === null ? { kind: 'workspace-key', keyId: created_by, workspaceId, scopes: [] } : { kind: 'user', userId: owner_id, scopes: [] }

/** What a query is resolved with where nobody asks, by schemas that are given. */
export function serverContext(tx: ReadTx, workspaceId: string, schemas: SchemaSet, actor: Actor, now: number): QueryContext {
  return {
    tx,
    actor,
    now,
    requestId: '',
    newId: () => newId(now),
    fail: (code, fault) => new Failure({ code, ...fault }),
    baseUrl: '',
    given: {},
    takesPortions: false,
    workspace: { workspaceId, slug: '', role: 'admin', schemaEpoch: schemas.epoch },
    schemas: PinnedSchemas.of(schemas),
    horizon: async () => now,
  }
}

/** What a list consists of; throws a `Failure` where its query does not fit the schemas, and undefined where its object is gone. */
export async function subjectOf(tx: ReadTx, workspaceId: string, row: ListRow, now: number): Promise<Subject | undefined> {
  const set = await readSchemas(tx, workspaceId)
  const schema = [...set.schemas.values()].find(({ keys }) => keys.object === row.object)
  if (schema === undefined || row.query === null) return undefined
  const object = compileObject(schema)
  const actor = actorOf(row, workspaceId)
  const ctx = serverContext(tx, workspaceId, set, actor, now)
  const query = await resolveQuery(ctx, object, row.query, '', true)
  const records = { workspaceId, object, asker: askerOf(actor, ctx.workspace, schema.xSvcAccess.default), filter: query.filter, scope: [] }
  const members = query.limit === undefined ? matchingMembers(records) : firstMembers({ ...records, sort: query.sort, limit: query.limit })
  return { workspaceId, row, object, query, members }
}

/** Whether time alone changes what a list has. */
export const dependsOnTime = ({ query }: ListRow): boolean => query !== null && 'filter' in query && /"op":"within"/i.test(JSON.stringify(query.filter))
