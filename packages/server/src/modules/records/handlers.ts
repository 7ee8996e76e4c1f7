import { records, type Change } from '@kontor/contract'
import { implement, type WorkspaceReadContext } from '../../kernel/implement.ts'
import { isId } from '../../kernel/ids.ts'
import { atLeast, levelOnRecord } from '../access/index.ts'
import { includeRelated } from './include/include.ts'
import { resolveInclude } from './include/resolve.ts'
import { findObject } from './object.ts'
import { presentRecord } from './present.ts'
import { findRecord } from './store.ts'
import { createRecords, removeRecords, updateRecords } from './write/service.ts'

/** A record by id; what may not be seen answers as what does not exist. */
export async function requireVisible(ctx: WorkspaceReadContext, objectName: string, id: string) {
  const { object, asker } = await findObject(ctx, objectName)
  const row = isId(id) ? await findRecord(ctx.tx, ctx.workspace.workspaceId, object.name, id) : undefined
  if (row === undefined || !atLeast(levelOnRecord(asker, row), 'view')) throw ctx.fail('not_found', { detail: `There is no ${object.name} with this id.` })
  return { object, row }
}

/** The same as an answer, with what it is linked to and its version. */
export async function getRecord(ctx: WorkspaceReadContext<'unknown_field'>, { object: objectName, id, include }: { readonly object: string; readonly id: string; readonly include?: readonly string[] | undefined }) {
  const { object, row } = await requireVisible(ctx, objectName, id)
  const data = presentRecord(object, row)
  if (include === undefined) return { body: { data, included: [], meta: {} }, version: row.version }
  const included = await includeRelated(ctx, object, [row], [data], await resolveInclude(ctx, object, include), new Map())
  return { body: { data, included, meta: {} }, version: row.version }
}

/** `meta` of a dry run; nothing otherwise. */
export const dryRunMeta = (dryRun: boolean | undefined, diffs: readonly (readonly Change[])[]) =>
  dryRun === true ? { meta: { dry_run: true as const, diff: diffs.flat() } } : {}

export const recordHandlers = implement(records, {
  async create(ctx, { object: name, body, dry_run }) {
    const { target, written } = await createRecords(ctx, name, [{ ...body.data, path: ['data', 'attributes'] }], body.match_on)
    const [{ row, diff, created }] = written as [(typeof written)[number]]
    return {
      body: { data: presentRecord(target.object, row), ...dryRunMeta(dry_run, [diff]) },
      version: row.version,
      status: created ? 201 : 200,
    }
  },

  async createMany(ctx, { object: name, body, dry_run }) {
    const given = body.data.map((item, index) => ({ ...item, path: ['data', index, 'attributes'] }))
    const { target, written } = await createRecords(ctx, name, given, body.match_on)
    return { body: { data: written.map(({ row }) => presentRecord(target.object, row)), ...dryRunMeta(dry_run, written.map(({ diff }) => diff)) } }
  },

  get: getRecord,

  async update(ctx, { object: name, id, body, dry_run }) {
    if (body.data.id !== undefined && body.data.id !== id) {
      throw ctx.fail('invalid_body', { detail: 'Must be the id in the path.', source: { pointer: '/data/id' } })
    }
    const { target, updated } = await updateRecords(ctx, name, [{ ...body.data, id, path: ['data', 'attributes'] }], body.meta)
    const [{ row, diff }] = updated as [(typeof updated)[number]]
    return { body: { data: presentRecord(target.object, row), ...dryRunMeta(dry_run, [diff]) }, version: row.version }
  },

  async updateMany(ctx, { object: name, body, dry_run }) {
    const given = body.data.map((item, index) => ({ ...item, path: ['data', index, 'attributes'] }))
    const { target, updated } = await updateRecords(ctx, name, given, body.meta)
    return { body: { data: updated.map(({ row }) => presentRecord(target.object, row)), ...dryRunMeta(dry_run, updated.map(({ diff }) => diff)) } }
  },

  async remove(ctx, { object: name, id, dry_run }) {
    await removeRecords(ctx, name, [id])
    return { body: dryRunMeta(dry_run, [removalDiff(id)]) }
  },

  async removeMany(ctx, { object: name, body, dry_run }) {
    const rows = await removeRecords(ctx, name, body.items)
    return { body: dryRunMeta(dry_run, rows.map(({ id }) => removalDiff(id))) }
  },
})

const removalDiff = (id: string): Change[] => [{ op: 'delete', path: ['_id'], val: null, oldVal: id }]
