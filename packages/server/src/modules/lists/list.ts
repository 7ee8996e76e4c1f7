import {
  listTypes,
  type Input,
  type listSortColumns,
  type ListResource,
  type lists,
  suggestion,
} from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { offsetEnvelope } from '../../lib/page-links.ts'
import { requestedOrder } from '../../kernel/requested-order.ts'
import { findObject, listObjects, type ObjectModel } from '../objects/index.ts'
import { listPrincipal } from './find.ts'
import { presentList } from './present.ts'
import { countLists, listLists, visibilities, type ListOrder, type Sought } from './store.ts'

type Context = WorkspaceReadContext<'unknown_field' | 'unknown_value'>
type ListInput = Input<typeof lists.list>

/** Answers a page of the lists of all objects that the caller may see; with a filter, only the dynamic ones. */
export async function listAll(ctx: Context, { workspace, filter, ...input }: ListInput) {
  const objects = await listObjects(ctx)
  const keys =
    filter?.entity === undefined
      ? [...objects.values()].map(({ key }) => key)
      : filter.entity.map((name) => keyOf(ctx, objects, name))
  const isFiltered = Object.values(filter ?? {}).some((value) => value !== undefined)
  const { entity: _entity, ...others } = filter ?? {}
  const found = await findLists(ctx, { ...input, filter: others }, keys, isFiltered ? listTypes : ['static'])
  const names = new Map([...objects.values()].map(({ key, name }) => [key, name]))
  const { rows, total, page, sortOrder, search } = found
  const data = rows.map((row): ListResource => presentList(row, defined(names.get(row.object))))
  return {
    data,
    ...offsetEnvelope(`${ctx.baseUrl}/workspaces/${workspace}/lists`, page, total, { sortOrder, filter, search }),
  }
}

/** Answers a page of the lists of one object, of either type. */
export async function listOfObject(
  ctx: WorkspaceReadContext<'unknown_field'>,
  { workspace, object: name, ...input }: Input<typeof lists.listOfObject>,
) {
  const { object } = await findObject(ctx, name, 'name')
  const { rows, total } = await findLists(ctx, input, [object.key], listTypes)
  const { page, sortOrder, filter, search } = input
  return {
    data: rows.map((row) => presentList(row, name)),
    ...offsetEnvelope(`${ctx.baseUrl}/workspaces/${workspace}/objects/${name}/lists`, page, total, {
      sortOrder,
      filter,
      search,
    }),
  }
}

type ListFilter = Pick<Input<typeof lists.listOfObject>, 'page' | 'sortOrder' | 'filter' | 'search'>

async function findLists(
  ctx: WorkspaceReadContext<'unknown_field'>,
  asked: ListFilter,
  objects: readonly string[],
  types: readonly (typeof listTypes)[number][],
) {
  const { page, sortOrder, filter = {}, search } = asked
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
  const order = requestedOrder(ctx, sortOrder, columns, { column: 'created_at', descending: false })
  const [rows, total] = await Promise.all([listLists(ctx.tx, wanted, order, page), countLists(ctx.tx, wanted)])
  return { ...asked, rows, total }
}

/** The stored columns that lists are sorted by. */
const columns: Readonly<Record<(typeof listSortColumns)[number], ListOrder['column']>> = {
  title: 'title',
  rank: 'rank',
  _created_at: 'created_at',
  _updated_at: 'updated_at',
}

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
