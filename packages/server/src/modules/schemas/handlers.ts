import { schemas, suggestion, type Input, type NewObject, type Output } from '@kontor/contract'
import { defined, isList, isRecord } from '../../lib/guards.ts'
import { implement, type Answer, type ReadContext, type WorkspaceReadContext } from '../../kernel/implement.ts'
import type { SchemaChanges, Sent } from './changes.ts'
import { presentSchema } from './present.ts'
import { workspaceSchemas } from './service.ts'

/** Describing objects needs their field types, so a higher-level module does it, as it does schema changes. */
type Describe = (
  ctx: WorkspaceReadContext<'unknown_value'>,
  narrowedTo: readonly string[] | undefined,
) => Promise<Answer<Output<typeof schemas.describe>>>

const absence = (name: string, names: readonly string[]): string =>
  `There is no object "${name.slice(0, 64)}" in this workspace.${suggestion(name, names)}`

export const schemaHandlers = (changes: SchemaChanges, describe: Describe) =>
  implement(schemas, {
    async list(ctx, { workspace, page }) {
      const all = [...(await workspaceSchemas(ctx)).values()].toSorted((a, b) => (a.title < b.title ? -1 : 1))
      const after = page.cursor === undefined ? undefined : decodeCursor(page.cursor)
      if (after === null) throw ctx.fail('cursor_mismatch', { source: { parameter: 'page[cursor]' } })
      const rest = after === undefined ? all : all.filter(({ title }) => title > after)
      const shown = rest.slice(0, page.limit)
      const last = shown.at(-1)
      const next =
        last !== undefined && rest.length > shown.length
          ? nextUrl(`${ctx.baseUrl}/workspaces/${workspace}/schemas`, last.title, page.limit)
          : null
      return { body: { data: shown.map((schema) => presentSchema(ctx.baseUrl, schema)), links: { next } } }
    },

    async get(ctx, { object }) {
      const all = await workspaceSchemas(ctx)
      const schema = all.get(object)
      if (schema === undefined) throw ctx.fail('not_found', { detail: absence(object, [...all.keys()]) })
      return { body: { data: presentSchema(ctx.baseUrl, schema) } }
    },

    describe: (ctx, { objects }) => describe(ctx, objects),

    create: async (ctx, { body }) => ({
      body: { data: presentSchema(ctx.baseUrl, await changes.create(ctx, newObjectOf(ctx, body))) },
    }),

    replace: async (ctx, { object, body }) => ({
      body: { data: await changes.replace(ctx, object, sent(ctx, body, [])) },
    }),

    remove: async (ctx, { object }) => ({ body: { data: await changes.remove(ctx, object) } }),

    plan: async (ctx, { object, body }) => ({ body: { data: await changes.plan(ctx, object, sent(ctx, body, [])) } }),

    async addProperties(ctx, { entity, body }) {
      await changes.addProperties(ctx, entity, attributesOf(ctx, body))
      return { body: {} }
    },

    async addRelationship(ctx, { entity, body }) {
      await changes.addRelationship(ctx, entity, attributesOf(ctx, body))
      return { body: {} }
    },

    removeRelationship: async (ctx, { entity, field }) => ({
      body: { data: await changes.removeRelationship(ctx, entity, field) },
    }),

    async updateOptions(ctx, { body }) {
      const { value } = sent(ctx, body, [])
      const change = defined(value.data[0])
      return { body: { data: [await changes.updateOptions(ctx, { value: change, path: ['data', 0] })] } }
    },

    async reorder(ctx, { entity, body }) {
      await changes.reorder(ctx, entity, { value: body.data.attributes.order, path: ['data', 'attributes', 'order'] })
      return { body: undefined }
    },

    async show(ctx, { entity, body }) {
      await changes.show(ctx, entity, {
        value: body.data.attributes.hiddenInDetails,
        path: ['data', 'attributes', 'hiddenInDetails'],
      })
      return { body: undefined }
    },
  })

/** A body in the order in which it was written. */
const sent = <T>({ given }: ReadContext, body: T, path: Sent<T>['path']): Sent<T> => ({
  value: inGivenOrder(body, given['body']),
  path,
})

const attributesOf = <T>(ctx: ReadContext, body: { readonly data: { readonly attributes: T } }): Sent<T> => ({
  value: sent(ctx, body, []).value.data.attributes,
  path: ['data', 'attributes'],
})

/** Bodies come bare or wrapped. */
function newObjectOf(ctx: ReadContext, body: Input<typeof schemas.create>['body']): Sent<NewObject> {
  const { value } = sent(ctx, body, [])
  return 'data' in value ? { value: value.data.attributes, path: ['data', 'attributes'] } : { value, path: [] }
}

const nextUrl = (url: string, last: string, limit: number): string => {
  const cursor = Buffer.from(last).toString('base64url')
  return `${url}?${encodeURIComponent('page[cursor]')}=${cursor}&${encodeURIComponent('page[limit]')}=${limit}`
}

/** The object after which a page begins; null if the cursor is not valid. */
function decodeCursor(cursor: string): string | null {
  const text = Buffer.from(cursor, 'base64url').toString()
  return /^[a-z][a-z0-9_]*$/.test(text) ? text : null
}

/**
 * Returns a checked value with its members in the order in which they were sent; checking puts them into the order of
 * the schema. Members that were not sent come last.
 */
const inGivenOrder = <T>(checked: T, given: unknown): T => ordered(checked, given) as T

function ordered(checked: unknown, given: unknown): unknown {
  if (isList(checked) && isList(given)) return checked.map((item, index) => ordered(item, given[index]))
  if (!isRecord(checked) || !isRecord(given)) return checked
  const names = [...new Set([...Object.keys(given), ...Object.keys(checked)])].filter((name) =>
    Object.hasOwn(checked, name),
  )
  return Object.fromEntries(names.map((name) => [name, ordered(checked[name], given[name])]))
}
