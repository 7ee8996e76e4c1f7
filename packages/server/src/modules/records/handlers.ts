import { records, type Change, type RecordResource, type RehearsedChange } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import { implement, type Handlers, type WorkspaceReadContext } from '../../kernel/implement.ts'
import { isId } from '../../kernel/ids.ts'
import { requireSameId } from '../../kernel/preconditions.ts'
import { atLeast, levelOn } from '../access/index.ts'
import {
  Included,
  objectsOf,
  resolveInclude,
  presentOne,
  presentRecords,
  resolveFields,
  type SparseFields,
} from '../query/index.ts'
import { missingRecord } from './missing.ts'
import { findObject, findRecord } from '../objects/index.ts'
import type { Dependent } from './dependents.ts'
import { mergeRecords } from './recovery/merge.ts'
import { restoreRecords } from './recovery/restore.ts'
import { redactChanges } from './changes.ts'
import type { ItemOutcome } from './write/each.ts'
import { removeRecords, updateRecords } from './write/change-records.ts'
import { createEach, createRecords, type Written } from './write/create-records.ts'
import { resolveReferences } from './write/record-matches.ts'
import { queryLocations } from '../../kernel/error-locations.ts'

/** Finds a record by id; a hidden record answers as a missing one. */
export async function requireVisible(ctx: WorkspaceReadContext, objectName: string, id: string) {
  const { object, principal } = await findObject(ctx, objectName, 'read')
  const row = isId(id) ? await findRecord(ctx.tx, ctx.workspace.workspaceId, object.key, id) : undefined
  if (row === undefined || !atLeast(await levelOn(ctx.tx, ctx.workspace.workspaceId, principal, row, 'view'), 'view'))
    throw await missingRecord(ctx, { object, principal }, id)
  return { object, row }
}

type GetInput = {
  readonly object: string
  readonly id: string
  readonly include?: readonly string[] | undefined
  readonly fields?: SparseFields | undefined
}

/** Answers a record with its relationships and its version. */
export async function getRecord(
  ctx: WorkspaceReadContext<'unknown_field'>,
  { object: objectName, id, include, fields }: GetInput,
) {
  const { object, row } = await requireVisible(ctx, objectName, id)
  const inclusions = await resolveInclude(ctx, object, include, queryLocations.include)
  const shown = resolveFields(ctx, objectsOf(object, inclusions), fields, queryLocations.fields)
  const data = await presentOne(ctx, object, row, shown.get(object.name))
  const included = new Included(ctx, shown)
  await included.add(object, [row], [data], inclusions)
  return { body: { data, included: included.list(), meta: {} }, version: row.version }
}

/** The `meta` of a dry run; undefined for a real call. */
export const dryRunMeta = async (
  ctx: WorkspaceReadContext,
  dryRun: boolean | undefined,
  diffs: readonly (readonly RehearsedChange[])[],
) => (dryRun === true ? { meta: { dry_run: true as const, diff: (await redactChanges(ctx, diffs)).flat() } } : {})

/** The changes of a record among several. */
const changesOf = ({ id }: { readonly id: string }, diff: readonly Change[]): RehearsedChange[] =>
  diff.map((change) => ({ ...change, record_id: id }))

type RecordHandlers = Handlers<typeof records>

/** The handlers of records; `dependents` is what other modules attach to them. */
export const recordHandlers = (dependents: readonly Dependent[]): RecordHandlers =>
  implement(records, {
    get: getRecord,
    ...creation,
    ...changes,
    ...removal(dependents),
    ...merging(dependents),
  })

const creation: Pick<RecordHandlers, 'create' | 'createMany'> = {
  async create(ctx, { object: name, body, dry_run }) {
    const { target, written } = await createRecords(ctx, name, [{ ...body.data, path: ['data', 'attributes'] }], body)
    const { row, diff, created } = defined(written[0])
    return {
      body: { data: await presentOne(ctx, target.object, row), ...(await dryRunMeta(ctx, dry_run, [diff])) },
      version: row.version,
      status: created ? 201 : 200,
    }
  },

  async createMany(ctx, { object: name, body, dry_run, atomic }) {
    const given = body.data.map((item, index) => ({ ...item, path: ['data', index, 'attributes'] }))
    if (atomic === false) return presentEach(ctx, await createEach(ctx, name, given, body), dry_run)
    const { target, written } = await createRecords(ctx, name, given, body)
    return {
      body: {
        data: await presentRecords(
          ctx,
          target.object,
          written.map(({ row }) => row),
        ),
        meta: await bulkMeta(ctx, written, dry_run),
      },
    }
  },
}

const changes: Pick<RecordHandlers, 'update' | 'updateMany'> = {
  async update(ctx, { object: name, id, body, dry_run }) {
    requireSameId(ctx, body.data.id, id)
    const { target, updated } = await updateRecords(
      ctx,
      name,
      [{ ...body.data, id, path: ['data', 'attributes'] }],
      body.meta,
    )
    const { row, diff } = defined(updated[0])
    return {
      body: { data: await presentOne(ctx, target.object, row), ...(await dryRunMeta(ctx, dry_run, [diff])) },
      version: row.version,
    }
  },

  async updateMany(ctx, { object: name, body, dry_run }) {
    const ids = await resolveReferences(
      ctx,
      body.data.map(({ id }) => id),
      () => name,
      (index) => ['data', index, 'id'],
    )
    const given = body.data.map((item, index) => ({
      ...item,
      id: defined(ids[index]),
      path: ['data', index, 'attributes'],
    }))
    const { target, updated } = await updateRecords(ctx, name, given, body.meta)
    return {
      body: {
        data: await presentRecords(
          ctx,
          target.object,
          updated.map(({ row }) => row),
        ),
        ...(await dryRunMeta(
          ctx,
          dry_run,
          updated.map(({ row, diff }) => changesOf(row, diff)),
        )),
      },
    }
  },
}

const removal = (dependents: readonly Dependent[]): Pick<RecordHandlers, 'remove' | 'removeMany' | 'restore'> => ({
  async remove(ctx, { object: name, id, dry_run }) {
    await removeRecords(ctx, name, [id], dependents)
    return { body: await dryRunMeta(ctx, dry_run, [wholeDiffs.deleted(id)]) }
  },

  async removeMany(ctx, { object: name, body, dry_run }) {
    const ids = await resolveReferences(
      ctx,
      body.items,
      () => name,
      (index) => ['items', index],
    )
    const rows = await removeRecords(ctx, name, ids, dependents)
    return {
      body: await dryRunMeta(
        ctx,
        dry_run,
        rows.map((row) => changesOf(row, wholeDiffs.deleted(row.id))),
      ),
    }
  },

  async restore(ctx, { object: name, body, dry_run }) {
    const { target, rows } = await restoreRecords(ctx, name, body.items, dependents)
    return {
      body: {
        data: await presentRecords(ctx, target.object, rows),
        ...(await dryRunMeta(
          ctx,
          dry_run,
          rows.map((row) => changesOf(row, wholeDiffs.restored(row.id))),
        )),
      },
    }
  },
})

const merging = (dependents: readonly Dependent[]): Pick<RecordHandlers, 'merge'> => ({
  async merge(
    ctx,
    {
      object: objectName,
      id,
      body: {
        data: {
          type,
          attributes: { sources },
        },
      },
      dry_run,
    },
  ) {
    const ids = await resolveReferences(
      ctx,
      sources,
      () => objectName,
      (index) => ['data', 'attributes', 'sources', index],
    )
    const diff = await mergeRecords(ctx, { objectName, id, type, sources: ids }, dependents)
    const { meta } = await dryRunMeta(ctx, dry_run, [diff])
    return meta === undefined ? { body: undefined } : { status: 200, body: { meta } }
  },
})

/** The answer of a creation that is not atomic: the result or the errors of each item. */
async function presentEach(
  ctx: WorkspaceReadContext,
  { target, outcomes }: Awaited<ReturnType<typeof createEach>>,
  dryRun: boolean | undefined,
) {
  const written = outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []))
  const resources = await presentRecords(
    ctx,
    target.object,
    written.map(({ row }) => row),
  )
  const counts = { succeeded: written.length, failed: outcomes.length - written.length }
  return {
    status: 200,
    body: {
      results: outcomes.map((outcome, index) => presentOutcome(ctx, resources, outcome, index)),
      meta: { ...(await bulkMeta(ctx, written, dryRun)), ...counts },
    },
  }
}

/** Presents an outcome. `resources` are those of the successful outcomes, in order; each is taken once. */
const presentOutcome = (
  { requestId }: WorkspaceReadContext,
  resources: RecordResource[],
  outcome: ItemOutcome<Written>,
  index: number,
) =>
  'result' in outcome
    ? { index, status: outcome.result.created ? 201 : 200, data: defined(resources.shift()) }
    : { index, status: outcome.refusal.status, errors: outcome.refusal.toBody(requestId).errors }

const bulkMeta = async (ctx: WorkspaceReadContext, written: readonly Written[], dryRun: boolean | undefined) => {
  const created = written.filter((one) => one.created).length
  const unchanged = written.filter((one) => !one.created && one.diff.length === 0).length
  return {
    ...(
      await dryRunMeta(
        ctx,
        dryRun,
        written.map(({ row, diff }) => changesOf(row, diff)),
      )
    ).meta,
    created,
    updated: written.length - created - unchanged,
    unchanged,
  }
}

/** The diffs of a record that is deleted, and of one that comes back. */
export const wholeDiffs = {
  deleted: (id: string): Change[] => [{ op: 'delete', path: ['_id'], val: null, oldVal: id }],
  restored: (id: string): Change[] => [{ op: 'add', path: ['_id'], val: id, oldVal: null }],
} as const
