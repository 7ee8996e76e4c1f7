import { z } from 'zod'
import { filterTree } from './filters.ts'
import { id, resourceIdentifier, timestamp, visibleText } from './shared.ts'

export const listTypes = ['static', 'dynamic'] as const
export const listStates = ['draft', 'published'] as const
export const listLayouts = ['table', 'board'] as const
/** How the membership of a dynamic list stands (docs/decisions/0086). */
export const listEvaluationStatuses = ['idle', 'evaluating', 'error'] as const
/** What the members of the workspace may do with a list: nothing, see it, or change it. */
export const listPermissions = ['private', 'workspace', 'workspace_edit'] as const

export type ListPermission = (typeof listPermissions)[number]

/** Bytes of the SQL of a list. */
export const listSqlBytesMax = 8192

const text = (max: number) => z.string().max(max)
const title = visibleText(200).meta({ example: 'Senators who chair a committee' })
const emoji = text(64).meta({ description: 'Empty where there is none.', example: '🏛️' })
const description = text(10_000).meta({ description: 'Empty where there is none.' })
/** How it is shown. */
export const listLayout = z.enum(listLayouts)
export const listPermission = z.enum(listPermissions).meta({
  description:
    'What members may do with it beside its owner and those it is shared with: nothing, see it, or change it.',
})
const rank = z.number().min(-1e12).max(1e12).meta({ description: 'Where it stands among others, as clients agree.' })
const options = z
  .record(z.string(), z.unknown())
  .meta({ description: 'Of its layout, as clients agree: columns, widths, grouping.' })

export const listSql = z
  .string()
  .min(1)
  .meta({
    description:
      `One SELECT over the object of the list, at most ${listSqlBytesMax} bytes; the guide on lists says what ` +
      'it may hold.',
    example: "SELECT * FROM person WHERE job_title = 'Senator' ORDER BY name",
  })

const version = z
  .union([z.string().max(100), z.number()])
  .optional()
  .meta({ description: 'Of the query, as clients count them: kept and answered, and nothing else.' })

const query = z
  .union([z.strictObject({ sql: listSql, version }), z.strictObject({ filter: filterTree, version })])
  .meta({
    id: 'ListQuery',
    description:
      'What a dynamic list consists of: SQL, or a filter tree as of `POST …/resources/query`. Replaced whole.',
  })

export type ListQuery = z.infer<typeof query>

export const listResource = z
  .object({
    type: z.literal('list'),
    id,
    attributes: z.object({
      _id: id,
      user_id: id.meta({ description: 'Who made it.' }),
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
          'The version of the query that membership was last evaluated with; null before, and of a static list.',
      }),
      list_evaluation_status: z
        .enum(listEvaluationStatuses)
        .meta({ description: '`error`: the query does not fit the schemas any more.' }),
      list_evaluation_started_at: timestamp.nullable(),
      last_list_evaluation_at: timestamp.nullable(),
      _created_at: timestamp,
      _created_by: id,
      _updated_at: timestamp,
      _updated_by: id,
    }),
    relationships: z
      .object({ owner_id: z.object({ data: z.union([resourceIdentifier, z.null()]) }) })
      .meta({ description: 'Who owns it; null where a workspace key made it.' }),
  })
  .meta({ id: 'RecordList' })

export type ListResource = z.infer<typeof listResource>

export const newList = z
  .strictObject({
    title,
    type: z
      .enum(listTypes)
      .meta({ description: '`static`: records are added and removed. `dynamic`: it has those that its query finds.' }),
    description: description.nullable().optional(),
    layout: listLayout.optional().meta({ description: 'By default `table`.' }),
    emoji: emoji.nullable().optional(),
    options: options.optional(),
    query: query.optional(),
    rank: rank.optional(),
    state: z.enum(listStates).optional().meta({ description: 'By default `published`.' }),
    permission: listPermission
      .optional()
      .meta({ description: 'By default `private`; of a workspace key, which owns nothing, `workspace_edit`.' }),
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
