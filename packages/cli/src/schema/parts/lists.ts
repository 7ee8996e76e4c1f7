import { lists, workspaceFiles, type Input } from '@kontor/contract'
import { collected } from '../workspace.ts'
import { changedOf, type Part } from './part.ts'

type NewList = Input<typeof lists.create>['body']

const pageLimit = 100

/** Lists that members can read, with their queries; the records of a static list are data, and stay. */
export const listsPart: Part = {
  name: 'lists',
  noun: 'list',
  shape: workspaceFiles.lists,
  defaults: {
    description: '',
    emoji: '',
    layout: 'table',
    options: {},
    rank: 0,
    state: 'published',
    permission: 'workspace',
  },
  fixed: ['type'],
  title: 'title',
  nameOf: ({ object, title }) => `${String(object)}/${String(title)}`,
  list: async ({ rest, workspace }) => {
    const asked = { workspace, filter: { type: ['static' as const, 'dynamic' as const] }, page: { limit: pageLimit } }
    const found = await collected(rest.all(lists.list, asked))
    return found.map(({ id, attributes }) => {
      const { entity: object, title, type, state, emoji, description, layout, options, query, rank } = attributes
      const { permission } = attributes
      const content = {
        object,
        title,
        type,
        state,
        emoji,
        description,
        layout,
        options,
        rank,
        permission,
        ...(query !== undefined && { query }),
      }
      return { id, name: `${object}/${title}`, content, isUnmanaged: permission === 'private' }
    })
  },
  create: async ({ rest, workspace }, { object, ...body }) => {
    await rest.call(lists.create, { workspace, object: String(object), body: body as NewList })
  },
  update: async ({ rest, workspace }, { id, content: before }, { content, changed }) => {
    const one = { workspace, object: String(before['object']), list: id }
    const { state: _state, ...body } = changedOf(content, changed)
    if (Object.keys(body).length > 0) await rest.call(lists.update, { ...one, body })
    if (changed.has('state')) await rest.call(content['state'] === 'published' ? lists.publish : lists.unpublish, one)
  },
  remove: async ({ rest, workspace }, { id, content: { object } }) => {
    await rest.call(lists.remove, { workspace, object: String(object), list: id })
  },
}
