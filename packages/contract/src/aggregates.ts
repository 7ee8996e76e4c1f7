import { z } from 'zod'
import { filterTree } from './filters.ts'
import { offsetPageQuery, pageLinks, pageMeta, sortColumnsMax } from './paging.ts'
import { searchText } from './search.ts'

export const groupFieldsMax = 2
export const measuresMax = 10

/** Periods that times are grouped by; weeks begin on Monday. */
export const groupPeriods = ['day', 'week', 'month', 'quarter', 'year'] as const
export type GroupPeriod = (typeof groupPeriods)[number]

const fieldName = z.string().min(1).max(200)

const groupBy = z
  .strictObject({
    field: fieldName.meta({
      description: 'A select, reference, user, checkbox, date or timestamp field, or a time or user of the record.',
      example: 'stage',
    }),
    by: z.enum(groupPeriods).optional().meta({
      description: 'Required for dates and times: the period, in the time zone of the workspace.',
    }),
  })
  .meta({ id: 'GroupBy' })

/** The functions of a measure. All but `count` require a field. */
export const measureFunctions = ['count', 'count_distinct', 'sum', 'average', 'min', 'max', 'median'] as const

const measure = z
  .strictObject({
    function: z.enum(measureFunctions).meta({
      description:
        '`count` counts records and accepts no field. `count_distinct` accepts any field that lists can be sorted ' +
        'by; `sum`, `average` and `median` accept numbers; `min` and `max` accept numbers, dates and times.',
      example: 'sum',
    }),
    field: fieldName.optional().meta({ description: 'The field; required for all but `count`.', example: 'amount' }),
    as: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be 1 to 64 lower-case letters, digits and `_`, and begin with a letter')
      .optional()
      .meta({ description: 'Name in the response; `count`, or function and field (`sum_amount`) by default.' }),
  })
  .meta({ id: 'Measure' })

const groupSort = z
  .strictObject({
    column: z.string().min(1).max(200).meta({ description: 'A field of `group_by`, or the name of a measure.' }),
    dir: z.enum(['ASC', 'DESC']).meta({ description: 'Direction; groups without a value are last.' }),
  })
  .meta({ id: 'GroupSort' })

/** The body of an aggregate request. */
export const aggregateBody = z.strictObject({
  filter: filterTree.optional(),
  search: searchText.optional(),
  group_by: z.array(groupBy).max(groupFieldsMax).default([]),
  measures: z
    .array(measure)
    .min(1)
    .max(measuresMax)
    .default([{ function: 'count' }]),
  sort: z.array(groupSort).min(1).max(sortColumnsMax).optional().meta({ description: 'By the groups, if omitted.' }),
  ...offsetPageQuery({ limitDefault: 100, limitMax: 1000 }),
})

export type AggregateBody = z.output<typeof aggregateBody>

const measured = z.union([
  z.number().meta({ description: 'A count, or a measure of numbers.' }),
  z.string().meta({ description: 'The first or last date or time.' }),
  z.null(),
])

const groupValue = z.union([
  z.string().meta({ description: 'An option, an id, or the first day of a period.' }),
  z.boolean().meta({ description: 'For a checkbox.' }),
  z.null(),
])

const aggregateRow = z
  .object({
    type: z.literal('aggregate'),
    groups: z.record(z.string(), groupValue).meta({
      description:
        'By field of `group_by`: an option, an id, true or false, or the beginning of a period (`2026-02-01` for the ' +
        'month, quarter or year that begins then); null for records without a value.',
      example: { stage: 'Won' },
    }),
    labels: z.record(z.string(), z.string().nullable()).meta({
      description: 'By reference or user field of `group_by`: the title of the record, the name of the user.',
    }),
    measures: z.record(z.string(), measured).meta({
      description: 'By name of the measure. Null where no record of the group has a value, except for counts.',
      example: { count: 12, sum_amount: 84000 },
    }),
  })
  .meta({ id: 'AggregateRow' })

/** The groups of an aggregate, a page of them. */
export const aggregatePage = z
  .object({ data: z.array(aggregateRow), meta: pageMeta, links: pageLinks })
  .meta({ id: 'AggregatePage' })
