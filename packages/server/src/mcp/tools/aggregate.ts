import { groupPeriods, measureFunctions } from '@kontor/contract'
import { z } from 'zod'
import { aggregatesText, asData } from '../../markdown/index.ts'
import { filter, object, search, sort } from '../arguments.ts'
import { tool } from '../tool.ts'

export const aggregate = tool({
  name: 'aggregate',
  title: 'Aggregate records',
  description: 'Counts, sums and other exact measures of records, in all or by up to two fields. Use it for numbers.',
  uses: ['resources.aggregate'],
  input: z.strictObject({
    object,
    filter: filter.optional(),
    search: search.optional(),
    group_by: z
      .array(z.strictObject({ field: z.string(), by: z.enum(groupPeriods).optional() }))
      .max(2)
      .default([])
      .meta({ description: '`by` is required for dates and times.' }),
    measures: z
      .array(z.strictObject({ function: z.enum(measureFunctions), field: z.string().optional() }))
      .min(1)
      .max(10)
      .default([{ function: 'count' }])
      .meta({ description: 'All but `count` require a field.' }),
    sort: sort.optional().meta({ description: 'By a group field or a measure, such as `sum_amount`.' }),
    limit: z.int().min(1).max(200).default(100),
    offset: z.int().min(0).default(0),
  }),
  async run({ call }, { object: name, limit, offset, ...body }) {
    const { data, meta } = await call('resources.aggregate', {
      object: name,
      body: { ...body, page: { limit, offset } },
    })
    if (data.length === 0) return 'No record matches.'
    const left = meta.total_records - offset - data.length
    const more = left > 0 ? `\n\n${left} more groups: call again with "offset": ${offset + data.length}` : ''
    return `${asData(aggregatesText(data))}${more}`
  },
})
