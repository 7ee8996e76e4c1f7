import { schemas, type Input, type NewObject } from '@kontor/contract'
import { inGivenOrder } from '../../kernel/given-order.ts'
import { implement, type WriteContext } from '../../kernel/implement.ts'
import type { SchemaChanges, Sent } from './changes.ts'
import { presentSchema } from './present.ts'
import { workspaceSchemas } from './service.ts'

export const schemaHandlers = (changes: SchemaChanges) =>
  implement(schemas, {
    async list(ctx, { workspace, page }) {
      const all = [...(await workspaceSchemas(ctx.tx, ctx.workspace)).values()].toSorted((a, b) => (a.title < b.title ? -1 : 1))
      const after = page.cursor === undefined ? undefined : decodeCursor(page.cursor)
      if (after === null) throw ctx.fail('cursor_mismatch', { source: { parameter: 'page[cursor]' } })
      const rest = after === undefined ? all : all.filter(({ title }) => title > after)
      const shown = rest.slice(0, page.limit)
      const last = shown.at(-1)
      const next = last !== undefined && rest.length > shown.length ? nextUrl(`${ctx.baseUrl}/workspaces/${workspace}/schemas`, last.title, page.limit) : null
      return { body: { data: shown.map((schema) => presentSchema(ctx.baseUrl, schema)), links: { next } } }
    },

    async get(ctx, { object }) {
      const schema = (await workspaceSchemas(ctx.tx, ctx.workspace)).get(object)
      if (schema === undefined) throw ctx.fail('not_found', { detail: `There is no object "${object.slice(0, 64)}" in this workspace.` })
      return { body: { data: presentSchema(ctx.baseUrl, schema) } }
    },

    create: async (ctx, { body }) => ({ body: { data: presentSchema(ctx.baseUrl, await changes.create(ctx, newObjectOf(ctx, body))) } }),
  })

/** Bodies come bare or wrapped. */
function newObjectOf({ given }: WriteContext, body: Input<typeof schemas.create>['body']): Sent<NewObject> {
  const sent = inGivenOrder(body, given['body'])
  return 'data' in sent ? { value: sent.data.attributes, path: ['data', 'attributes'] } : { value: sent, path: [] }
}

const nextUrl = (url: string, last: string, limit: number): string =>
  `${url}?${encodeURIComponent('page[cursor]')}=${Buffer.from(last).toString('base64url')}&${encodeURIComponent('page[limit]')}=${limit}`

/** The object after which a page begins; null for what is no cursor of ours. */
function decodeCursor(cursor: string): string | null {
  const text = Buffer.from(cursor, 'base64url').toString()
  return /^[a-z][a-z0-9_]*$/.test(text) ? text : null
}
