import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { compileObject } from '../objects/index.ts'
import { workspaceSchemas } from '../schemas/index.ts'
import { listDefault, recordDefault, sidebarDefault, type LayoutNode } from './defaults.ts'
import type { LayoutKey } from './store.ts'

/** A layout that a workspace has: where its tree is stored, if it was changed, and what it is otherwise. */
export type Layout = { readonly id: string; readonly key: LayoutKey; readonly byDefault: LayoutNode }

const ofObjects = { list: listDefault, record: recordDefault } as const

const shape = /^(list|record)__(.+)$/

/** Requires that there is such a layout: the sidebar, or one for each way in which an object is shown. */
export async function requireLayout(ctx: WorkspaceReadContext, id: string): Promise<Layout> {
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
