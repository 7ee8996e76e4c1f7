import { lists, listTypes, suggestion, type Input, type listSortColumns, type ListResource } from '@kontor/contract'
import { implement, type WriteContext, type WorkspaceReadContext } from '../../kernel/implement.ts'
import type { FieldIndexes } from '../indexes/index.ts'
import { exportRows } from './csv/export.ts'
import { addEntries, removeEntries } from './entries/service.ts'
import { requireList, listPrincipal, type FoundList } from './find.ts'
import { presentList } from './present.ts'
import { listRecordsOf } from './records.ts'
import { changeList, createList, publishList, removeList, unpublishList } from './service.ts'
import { defined } from '../../lib/guards.ts'
import { isId } from '../../kernel/ids.ts'
import { shortPage } from '../../kernel/short-page.ts'
import { findObject, listObjects, type ObjectModel } from '../objects/index.ts'
import { listsIn, visibilities, type Sought } from './store.ts'

const answer = ({ object, row }: Pick<FoundList, 'object' | 'row'>) => ({
  body: { data: presentList(row, object.name) },
  version: row.version,
})

/** Receives a list that is deleted, in the same transaction. */
type ListEffects = { readonly removed: (ctx: WriteContext, id: string) => Promise<void> }

export const listHandlers = (indexes: FieldIndexes, { removed }: ListEffects) =>
  implement(lists, {
    list: async (ctx, input) => ({ body: await listAll(ctx, input) }),

    listOfObject: async (ctx, input) => ({ body: await listOfObject(ctx, input) }),

    create: async (ctx, { object, body }) => answer(await createList(ctx, object, body)),

    get: async (ctx, path) => answer(await requireList(ctx, path)),

    update: async (ctx, { body, ...path }) => answer(await changeList(ctx, path, body)),

    async remove(ctx, path) {
      await removed(ctx, await removeList(ctx, path))
      return { body: {} }
    },

    publish: async (ctx, path) => answer(await publishList(ctx, path)),

    unpublish: async (ctx, path) => answer(await unpublishList(ctx, path)),

    listRecords: (ctx, input) => listRecordsOf(ctx, indexes, input),

    exportRows: (ctx, input) => exportRows(ctx, indexes, input),

    async addRecords(ctx, { body, ...path }) {
      await addEntries(ctx, path, body.data)
      return { body: {} }
    },

    async removeRecords(ctx, { body, ...path }) {
      await removeEntries(ctx, path, body.data)
      return { body: {} }
    },
  })

type Context = WorkspaceReadContext<'unknown_field' | 'unknown_value'>
type ListInput = Input<typeof lists.list>

/** Answers a page of the lists of all objects that the caller may see; with a filter, only the dynamic ones. */
async function listAll(ctx: Context, input: ListInput) {
  const { filter } = input
  const objects = await listObjects(ctx)
  const keys =
    filter?.entity === undefined
      ? [...objects.values()].map(({ key }) => key)
      : filter.entity.map((name) => keyOf(ctx, objects, name))
  const isFiltered = Object.values(filter ?? {}).some((value) => value !== undefined)
  const { entity: _entity, ...others } = filter ?? {}
  const read = listsOf(ctx, { ...input, filter: others }, keys, isFiltered ? listTypes : ['static'])
  const { rows, ...envelope } = await shortPage(ctx, lists.list, input, { ...sorting, read })
  const names = new Map([...objects.values()].map(({ key, name }) => [key, name]))
  const data = rows.map((row): ListResource => presentList(row, defined(names.get(row.object))))
  return { data, ...envelope }
}

/** Answers a page of the lists of one object, of either type. */
async function listOfObject(ctx: WorkspaceReadContext<'unknown_field'>, input: Input<typeof lists.listOfObject>) {
  const { object } = await findObject(ctx, input.object, 'name')
  const read = listsOf(ctx, input, [object.key], listTypes)
  const { rows, ...envelope } = await shortPage(ctx, lists.listOfObject, input, { ...sorting, read })
  return { data: rows.map((row) => presentList(row, input.object)), ...envelope }
}

type ListFilter = Pick<Input<typeof lists.listOfObject>, 'filter' | 'search'>

function listsOf(
  ctx: WorkspaceReadContext<'unknown_field'>,
  { filter = {}, search }: ListFilter,
  objects: readonly string[],
  types: readonly (typeof listTypes)[number][],
) {
  const { type, permission, owner_id, ...others } = filter
  const wanted: Sought = {
    workspaceId: ctx.workspace.workspaceId,
    principal: listPrincipal(ctx),
    // A value that is no id owns nothing.
    objects: owner_id !== undefined && !isId(owner_id) ? [] : objects,
    types: type ?? types,
    equal: Object.fromEntries(
      Object.entries({ ...others, owner_id }).filter(
        ([name, value]) => value !== undefined && (name !== 'owner_id' || isId(value)),
      ),
    ),
    visibilities: permission && visibilities[permission],
    search,
  }
  return listsIn(wanted)
}

/** The stored columns that lists are sorted by. */
const columns = {
  title: 'r.title',
  rank: 'r.rank',
  _created_at: 'r.created_at',
  _updated_at: 'r.updated_at',
} as const satisfies Readonly<Record<(typeof listSortColumns)[number], string>>

const sorting = { columns, otherwise: { column: 'r.created_at', descending: false } } as const

function keyOf(ctx: Context, objects: ReadonlyMap<string, ObjectModel>, name: string): string {
  const object = objects.get(name)
  if (object !== undefined) return object.key
  const allowed = [...objects.keys()]
  throw ctx.fail('unknown_value', {
    detail: `There is no object "${name}" in this workspace.${suggestion(name, allowed)}`,
    source: { parameter: 'filter[entity]' },
    meta: { allowed },
  })
}
