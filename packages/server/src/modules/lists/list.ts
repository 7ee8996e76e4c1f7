import { listSortColumns, listTypes, type Input, type ListResource, type lists } from '@kontor/contract'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { suggestion } from '../../kernel/nearest.ts'
import { offsetEnvelope } from '../../kernel/page-links.ts'
import { listObjects, type ObjectModel } from '../records/index.ts'
import { listAsker } from './find.ts'
import { presentList } from './present.ts'
import { countLists, listLists, visibilities, type ListOrder, type Sought } from './store.ts'

type Context = WorkspaceReadContext<'unknown_field' | 'unknown_value'>
type ListInput = Input<typeof lists.list>
type Filter = NonNullable<ListInput['filter']>

/** A page of the lists of all objects that the caller may see. */
export async function listAll(ctx: Context, { workspace, page, sortOrder, filter = {}, search }: ListInput) {
  const objects = await listObjects(ctx)
  const names = new Map([...objects.values()].map(({ key, name }) => [key, name]))
  const wanted = sought(ctx, objects, filter, search)
  const [rows, total] = await Promise.all([listLists(ctx.tx, wanted, orderOf(ctx, sortOrder), page), countLists(ctx.tx, wanted)])
  const data = rows.map((row): ListResource => presentList(row, names.get(row.object) as string))
  return { data, ...offsetEnvelope(`${ctx.baseUrl}/workspaces/${workspace}/lists`, page, total, { sortOrder, filter, search }) }
}

function sought(ctx: Context, objects: ReadonlyMap<string, ObjectModel>, { entity, type, permission, owner_id, ...others }: Filter, search: string | undefined): Sought {
  const keys = entity === undefined ? [...objects.values()].map(({ key }) => key) : entity.map((name) => keyOf(ctx, objects, name))
  const equal = { ...others, ...(owner_id !== undefined && { owner_id }) }
  return {
    workspaceId: ctx.workspace.workspaceId,
    asker: listAsker(ctx),
    // What is no id owns nothing.
    objects: owner_id !== undefined && !isId(owner_id) ? [] : keys,
    types: type ?? listTypes.filter((one) => one === 'static'),
    equal: Object.fromEntries(Object.entries(equal).filter(([name, value]) => value !== undefined && (name !== 'owner_id' || isId(value)))),
    visibilities: permission && visibilities[permission],
    search,
  }
}

function keyOf(ctx: Context, objects: ReadonlyMap<string, ObjectModel>, name: string): string {
  const object = objects.get(name)
  if (object !== undefined) return object.key
  const allowed = [...objects.keys()]
  throw ctx.fail('unknown_value', { detail: `There is no object "${name}" in this workspace.${suggestion(name, allowed)}`, source: { parameter: 'filter[entity]' }, meta: { allowed } })
}

function orderOf(ctx: Context, sortOrder: ListInput['sortOrder']): ListOrder {
  if (sortOrder === undefined) return { column: 'created_at', descending: false }
  const name = listSortColumns.find((one) => one === sortOrder.column)
  if (name !== undefined) return { column: name.replace(/^_/, '') as ListOrder['column'], descending: sortOrder.dir === 'DESC' }
  throw ctx.fail('unknown_field', {
    detail: `Lists have no column "${sortOrder.column}" to sort by.${suggestion(sortOrder.column, listSortColumns)}`,
    source: { parameter: 'sortOrder[column]' },
    meta: { allowed: [...listSortColumns] },
  })
}
