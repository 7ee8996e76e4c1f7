import { isDeepStrictEqual } from 'node:util'
import { attributesOf, layouts, type LayoutResource, type LayoutTree } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import { actorId } from '../../kernel/actor.ts'
import { isoTime } from '../../kernel/clock.ts'
import { implement, type WorkspaceReadContext, type WriteContext } from '../../kernel/implement.ts'
import { requireSameId } from '../../kernel/preconditions.ts'
import { findWorkspace } from '../workspaces/index.ts'
import {
  deleteLayout,
  findLayout,
  insertLayout,
  lockLayout,
  updateLayout,
  type LayoutRow,
  type LayoutKey,
} from './store.ts'
import { compileObject } from '../objects/index.ts'
import { workspaceSchemas } from '../schemas/index.ts'
import { listDefault, recordDefault, sidebarDefault, type LayoutNode } from './defaults.ts'

export const layoutHandlers = implement(layouts, {
  async get(ctx, { id }) {
    const layout = await requireLayout(ctx, id)
    const row = await findLayout(ctx.tx, layout.key)
    return { body: row === undefined ? await presentDefault(ctx, layout) : present(layout, row) }
  },

  async update(ctx, { id, body }) {
    if ('data' in body) requireSameId(ctx, body.data.id, id)
    const { tree } = attributesOf(body)
    const layout = await requireLayout(ctx, id)
    const before = await lockLayout(ctx.tx, layout.key)
    if (isDeepStrictEqual(tree, before?.tree ?? layout.byDefault))
      return { body: before === undefined ? await presentDefault(ctx, layout) : present(layout, before) }
    const row = await store(ctx, layout, tree, before)
    await tell(ctx, layout)
    return { body: present(layout, row) }
  },

  async reset(ctx, { id }) {
    const layout = await requireLayout(ctx, id)
    if (await deleteLayout(ctx.tx, layout.key)) await tell(ctx, layout)
    return { body: await presentDefault(ctx, layout) }
  },
})

/** Stores a tree; where two callers change a default at once, the second one changes what the first one has stored. */
async function store(
  ctx: WriteContext,
  { key }: Layout,
  tree: LayoutTree,
  before: LayoutRow | undefined,
): Promise<LayoutRow> {
  const by = actorId(ctx.actor)
  const first = { ...key, tree, created_at: ctx.now, created_by: by, updated_at: ctx.now, updated_by: by }
  if (before === undefined && (await insertLayout(ctx.tx, first))) return first
  const there = before ?? defined(await lockLayout(ctx.tx, key))
  const row = { ...there, tree, updated_at: Math.max(ctx.now, there.updated_at), updated_by: by }
  await updateLayout(ctx.tx, row)
  return row
}

/** Layouts have no id of their own: the event is about the workspace, and names the layout. */
const tell = (ctx: WriteContext, { id }: Layout): Promise<void> =>
  ctx.emit([
    {
      type: 'layout.updated',
      object: 'workspace',
      recordId: ctx.workspace.workspaceId,
      payload: { layout_id: id },
    },
  ])

const present = ({ id }: Layout, row: LayoutRow): LayoutResource => ({
  _id: id,
  tree: row.tree,
  _created_by: row.created_by,
  _updated_by: row.updated_by,
  _created_at: isoTime(row.created_at),
  _updated_at: isoTime(row.updated_at),
})

/** Clients read times as texts: a default is as old as its workspace. */
async function presentDefault(ctx: WorkspaceReadContext, { id, byDefault }: Layout): Promise<LayoutResource> {
  const at = isoTime(defined(await findWorkspace(ctx.tx, ctx.workspace.slug)).created_at)
  return { _id: id, tree: byDefault, _created_by: null, _updated_by: null, _created_at: at, _updated_at: at }
}

/** A layout that a workspace has: where its tree is stored, if it was changed, and what it is otherwise. */
type Layout = { readonly id: string; readonly key: LayoutKey; readonly byDefault: LayoutNode }

const ofObjects = { list: listDefault, record: recordDefault } as const

const shape = /^(list|record)__(.+)$/

/** Requires that there is such a layout: the sidebar, or one for each way in which an object is shown. */
async function requireLayout(ctx: WorkspaceReadContext, id: string): Promise<Layout> {
  const schemas = await workspaceSchemas(ctx)
  const keyOf = (key: string): LayoutKey => ({ workspace_id: ctx.workspace.workspaceId, layout_key: key })
  if (id === 'sidebar') return { id, key: keyOf(id), byDefault: sidebarDefault(schemas) }
  const [, kind, name] = shape.exec(id) ?? []
  const schema = name === undefined ? undefined : schemas.get(name)
  if (schema === undefined || (kind !== 'list' && kind !== 'record'))
    throw ctx.fail('not_found', {
      detail: `There is no layout "${id.slice(0, 64)}": use "sidebar", "list__<object>" or "record__<object>".`,
    })
  const object = compileObject(schema)
  return { id, key: keyOf(`${kind}__${object.key}`), byDefault: ofObjects[kind](object) }
}
