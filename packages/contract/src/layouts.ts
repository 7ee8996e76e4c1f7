import { z } from 'zod'
import { domain } from './endpoint.ts'
import { id, silentQuery, timestamp, wrappedOrBare } from './shared.ts'

/** A page shows a few hundred things at most, each named in some ten characters. */
const layoutCharactersMax = 65_536

export const anyTree = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())])

export type LayoutTree = z.infer<typeof anyTree>

const description =
  'The content in its order, as any JSON object or array, which the server stores unchanged. By ' +
  'default each node has a `type`, usually a `title`, the name of the `object` or `field` that it ' +
  'shows, and `children`.'

const tree = anyTree.meta({ description })

const newTree = anyTree
  .refine((given) => JSON.stringify(given).length <= layoutCharactersMax, {
    error: `must be at most ${layoutCharactersMax} characters of JSON`,
  })
  .meta({ description })

const layout = z
  .object({
    _id: z.string().meta({
      description: '`sidebar`, `list__<object>` or `record__<object>`.',
      example: 'record__deal',
    }),
    tree,
    _created_by: id.nullable().meta({ description: 'The member who changed it first; null for a default.' }),
    _updated_by: id.nullable().meta({ description: 'The member who changed it last; null for a default.' }),
    _created_at: timestamp.meta({ description: 'For a default, when the workspace was created.' }),
    _updated_at: timestamp,
  })
  .meta({ id: 'Layout', description: 'A plain object, without `data` around it.' })

export type LayoutResource = z.infer<typeof layout>

const one = '/workspaces/{workspace}/layouts/{id}'
const writing = {
  caller: 'any',
  scope: 'layouts:write',
  emits: ['layout.updated'],
  query: z.strictObject(silentQuery),
  response: layout,
} as const

/** Layouts answer with the bare row, as comments do: so existing clients read them. */
export const layouts = domain({
  get: {
    method: 'GET',
    path: one,
    caller: 'any',
    scope: 'layouts:read',
    summary: 'Get a layout',
    description:
      'Returns the layout of the lists of an object, of its records, or of the sidebar of a workspace. Each has ' +
      'a default, which follows the schemas until the layout is changed.',
    response: layout,
  },
  update: {
    ...writing,
    method: 'PATCH',
    path: one,
    summary: 'Update a layout',
    description: 'Replaces the whole tree. Sending the same tree again changes nothing.',
    body: wrappedOrBare('layout', z.strictObject({ tree: newTree })),
    examples: {
      body: {
        data: {
          type: 'layout',
          attributes: {
            tree: {
              type: 'list',
              object: 'person',
              title: 'People',
              children: [{ type: 'column', field: 'name', title: 'Name' }],
            },
          },
        },
      },
    },
  },
  reset: {
    ...writing,
    method: 'POST',
    path: `${one}/reset`,
    summary: 'Reset a layout',
    description: 'Resets a layout to its default, which follows the schemas.',
  },
})
