import { z } from 'zod'
import { filterTree, sortList, type Filter, type FilterValue } from '@kontor/contract'
import { isList, isString } from '../../lib/guards.ts'
import type { ObjectModel } from '../objects/index.ts'
import { block } from '../plugins/index.ts'
import { conditionBudget, resolveTree, needsZone, instantIn } from '../templates/index.ts'
import { foundRecord, toFound } from './found-record.ts'

/** Records that one step may find: they are kept with the run. */
const foundMax = 1000
const foundByDefault = 100

/** A thousand records of some kilobytes. */
const outputBytesMax = 4 * 1024 * 1024

export const findRecords = block({
  id: 'svc:find:records',
  title: 'Find records',
  description:
    'Finds the records of an object that match a filter and that the workflow may see. A condition whose variable ' +
    'has no value is false.',
  types: ['workflow'],
  input: z.strictObject({
    object: z.string().min(1).meta({ description: 'The object of the records.', example: 'person' }),
    filter: filterTree.optional().meta({
      description: 'Conditions on the records, which can follow relationships; without it, all records are found.',
      example: { field: 'deals._id', op: 'Is', value: '{{trigger.state.event.object._id}}' },
    }),
    sort: sortList.optional(),
    limit: z
      .int()
      .min(1)
      .max(foundMax)
      .default(foundByDefault)
      .meta({ description: 'Maximum number of records to find.' }),
  }),
  output: z.object({
    records: z.array(foundRecord),
    total: z.int().meta({ description: 'Number of records that match the filter.' }),
  }),
  conditional: ['filter'],
  outputBytesMax,
  async run({ call, workspace, scope, timeZone, objectNamed }, { object, filter, sort, limit }) {
    const zone = needsZone(filter) ? await timeZone() : 'utc'
    const { tree, unresolved } = filter === undefined ? unfiltered : resolveTree(filter, scope, zone, conditionBudget())
    if (tree === null) return { state: 'done', output: { records: [], total: 0 }, unresolved }
    const { data, meta } = await call('resources.query', {
      workspace: workspace.slug,
      object,
      body: {
        ...(tree && { filter: withInstants(tree, await objectNamed(object), await timeZone()) }),
        ...(sort && { sort }),
        page: { offset: 0, limit },
      },
    })
    return {
      state: 'done',
      output: {
        records: data.map(toFound),
        total: meta.total_records ?? data.length,
      },
      unresolved,
    }
  },
})

/** A filter whose times without a zone are those of the workspace. */
function withInstants(tree: Filter, object: ObjectModel | undefined, zone: string): Filter {
  const within = (part: Filter): Filter => withInstants(part, object, zone)
  if ('and' in tree) return { and: tree.and.map(within) }
  if ('or' in tree) return { or: tree.or.map(within) }
  if ('not' in tree) return { not: within(tree.not) }
  const { value } = tree
  if (value === undefined || object?.fields.get(tree.field)?.type.name !== 'timestamp') return tree
  const instant = (one: FilterValue): FilterValue => (isString(one) ? instantIn(one, zone) : one)
  return { ...tree, value: isList(value) ? value.map(instant) : instant(value) }
}

const unfiltered = { tree: undefined, unresolved: [] }
