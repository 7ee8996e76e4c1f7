import { z } from 'zod'
import { domain } from './endpoint.ts'
import { id, silentQuery, timestamp, wrappedOrBare } from './shared.ts'

/** A page shows a few hundred things at most, each named in some ten characters. */
const layoutCharactersMax = 65_536

const anyTree = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())])

export type LayoutTree = z.infer<typeof anyTree>

const description =
  'What is shown, in its order. Any JSON object or array: the server keeps it as it is. By default each node has a ' +
  '`type`, mostly a `title`, the name of the `object` or `field` that it shows, and `children`.'

const tree = anyTree.meta({ description })

const newTree = anyTree
  .refine((given) => JSON.stringify(given).length <= layoutCharactersMax, {
    error: `must have at most ${layoutCharactersMax} characters as JSON`,
  })
  .meta({ description })

const layout = z
  .object({
    _id: z.string().meta({
      description: '`sidebar`, `list__<object>` or `record__<object>`.',
      example: 'record__deal',
    }),
    tree,
    _created_by: id.nullable().meta({ description: 'Who changed it first; null for a default.' }),
    _updated_by: id.nullable().meta({ description: 'Who changed it last; null for a default.' }),
    _created_at: timestamp.meta({ description: 'Of a default, when the workspace was made.' }),
    _updated_at: timestamp,
  })
  .meta({ id: 'Layout', description: 'A bare row, without `data` around it.' })

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
      'How lists of an object, its records or the sidebar are laid out in a workspace. Each has a default, which ' +
      'follows the schemas until the layout is changed.',
    response: layout,
  },
  update: {
    ...writing,
    method: 'PATCH',
    path: one,
    summary: 'Update a layout',
    description: 'Replaces the tree whole. The same tree again changes nothing.',
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
    description: 'It is the default from then on, and follows the schemas again.',
  },
})
