import { z } from 'zod'
import { filterTree } from './filters.ts'
import { id, resourceIdentifier, timestamp, visibleText } from './shared.ts'

export const listTypes = ['static', 'dynamic'] as const
export const listStates = ['draft', 'published'] as const
export const listLayouts = ['table', 'board'] as const
/** The states of evaluating a dynamic list (docs/decisions/0086). */
export const listEvaluationStatuses = ['idle', 'evaluating', 'error'] as const
/** The access of the workspace's members to a list: none, read, or change. */
export const listPermissions = ['private', 'workspace', 'workspace_edit'] as const

export type ListPermission = (typeof listPermissions)[number]

/** Bytes of the SQL of a list. */
export const listSqlBytesMax = 8192

const text = (max: number) => z.string().max(max)
const title = visibleText(200).meta({ example: 'Senators who chair a committee' })
const emoji = text(64).meta({ description: 'Empty by default.', example: '🏛️' })
const description = text(10_000).meta({ description: 'Empty by default.' })
/** The layout of a list. */
export const listLayout = z.enum(listLayouts)
export const listPermission = z.enum(listPermissions).meta({
  description: 'The access of members, in addition to the owner and those it is shared with: none, read, or change.',
})
const rank = z
  .number()
  .min(-1e12)
  .max(1e12)
  .meta({ description: 'Its position among other lists. Only clients use it.' })
const options = z
  .record(z.string(), z.unknown())
  .meta({ description: 'Settings of its layout, such as columns, widths and grouping. Only clients use them.' })

export const listSql = z
  .string()
  .min(1)
  .meta({
    description:
      `One SELECT from the object of the list, at most ${listSqlBytesMax} bytes; the guide on lists ` +
      'describes the dialect.',
    example: "SELECT * FROM person WHERE job_title = 'Senator' ORDER BY name",
  })

const version = z
  .union([z.string().max(100), z.number()])
  .optional()
  .meta({ description: 'Version of the query. Only clients use it: it is stored and returned unchanged.' })

const query = z
  .union([z.strictObject({ sql: listSql, version }), z.strictObject({ filter: filterTree, version })])
  .meta({
    id: 'ListQuery',
    description:
      'The query of a dynamic list: SQL, or a filter tree as in `POST …/resources/query`. It is replaced ' +
      'completely.',
  })

export type ListQuery = z.infer<typeof query>

export const listResource = z
  .object({
    type: z.literal('list'),
    id,
    attributes: z.object({
      _id: id,
      user_id: id.meta({ description: 'The user or key that created it.' }),
      entity: z.string().meta({ description: 'Object of its records.', example: 'person' }),
      title: z.string(),
      emoji: z.string(),
      description: z.string(),
      type: z.enum(listTypes),
      state: z.enum(listStates),
      layout: listLayout,
      options,
      query: query.optional(),
      owner_id: id,
      permission: listPermission,
      rank: z.number(),
      applied_version_id: id.nullable().meta({
        description:
          'The version of the query that membership was last evaluated with; null before the first evaluation, and ' +
          'for a static list.',
      }),
      list_evaluation_status: z
        .enum(listEvaluationStatuses)
        .meta({ description: '`error`: the query uses a field or an object that no longer exists.' }),
      list_evaluation_started_at: timestamp.nullable(),
      last_list_evaluation_at: timestamp.nullable(),
      _created_at: timestamp,
      _created_by: id,
      _updated_at: timestamp,
      _updated_by: id,
    }),
    relationships: z
      .object({ owner_id: z.object({ data: z.union([resourceIdentifier, z.null()]) }) })
      .meta({ description: 'Its owner; null if a workspace key created it.' }),
  })
  .meta({ id: 'RecordList' })

export type ListResource = z.infer<typeof listResource>

export const newList = z
  .strictObject({
    title,
    type: z.enum(listTypes).meta({
      description:
        '`static`: contains the records that are added to it. `dynamic`: contains the records that its query finds.',
    }),
    description: description.nullable().optional(),
    layout: listLayout.optional().meta({ description: 'By default `table`.' }),
    emoji: emoji.nullable().optional(),
    options: options.optional(),
    query: query.optional(),
    rank: rank.optional(),
    state: z.enum(listStates).optional().meta({ description: 'By default `published`.' }),
    permission: listPermission
      .optional()
      .meta({ description: 'By default `private`; for a list that a workspace key creates, `workspace_edit`.' }),
  })
  .meta({ id: 'NewList' })

export const listChange = z
  .strictObject({
    title: title.optional(),
    emoji: emoji.nullable().optional().meta({ description: 'null clears it.' }),
    description: description.nullable().optional().meta({ description: 'null clears it.' }),
    layout: listLayout.optional(),
    options: options.optional(),
    query: query.optional(),
    rank: rank.optional(),
    permission: listPermission.optional(),
  })
  .meta({ id: 'ListChange' })
