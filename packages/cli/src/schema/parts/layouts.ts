import { layouts, workspaceFiles, type Input } from '@kontor/contract'
import type { Connected } from '../../connection.ts'
import { listDocuments } from '../workspace.ts'
import type { Item, Part } from './part.ts'

type Tree = Extract<Input<typeof layouts.update>['body'], { readonly tree: unknown }>['tree']

/** The layouts of a workspace: of its sidebar, and of the lists and records of each object. */
async function layoutIds(connected: Connected): Promise<string[]> {
  const documents = await listDocuments(connected)
  return ['sidebar', ...documents.flatMap(({ title }) => [`list__${title}`, `record__${title}`])]
}

const change: Part['update'] = async ({ rest, workspace }, _item, { content: { id, tree } }) => {
  await rest.call(layouts.update, { workspace, id: String(id), body: { tree: tree as Tree } })
}

/** Layouts; only those that somebody has changed are pulled, since the others follow the schemas. */
export const layoutsPart: Part = {
  name: 'layouts',
  noun: 'layout',
  shape: workspaceFiles.layouts,
  defaults: {},
  nameOf: ({ id }) => String(id),
  list: async (connected) => {
    const { rest, workspace } = connected
    const items: Item[] = []
    for (const id of await layoutIds(connected)) {
      const { body } = await rest.call(layouts.get, { workspace, id })
      items.push({ id, name: id, content: { id, tree: body.tree }, isUnmanaged: body._updated_by === null })
    }
    return items
  },
  create: (connected, content) =>
    change(connected, { id: '', name: '', content: {} }, { content, changed: new Set(['tree']) }),
  update: change,
  remove: async ({ rest, workspace }, { id }) => {
    await rest.call(layouts.reset, { workspace, id })
  },
}
