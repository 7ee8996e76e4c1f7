import { personAttributes } from '../attributes.ts'
import type { List } from '../indexes.ts'
import type { Seeded } from '../seed.ts'
import type { Reads } from './reads.ts'

/** A list that a caller may ask for. */
export type ListQuery = List & {
  /** The file that its plans are in. */
  readonly name: string
  /** The most that its pages and its total may read. */
  readonly page: Reads
  readonly total: Reads
}

const person = '/v1/workspaces/bench/objects/person'
const resources = `${person}/resources`

const sortQuery = (columns: string): string =>
  columns
    .split(',')
    .map((column, index, all) => {
      const key = all.length === 1 ? 'sortOrder' : `sortOrder[${index}]`
      return `${key}[column]=${column.replace('-', '')}&${key}[dir]=${column.startsWith('-') ? 'DESC' : 'ASC'}`
    })
    .join('&')

/** By the columns sorted by, a minus before those that go down. */
const sorts = [
  '_created_at',
  '-_created_at',
  '_updated_at',
  '-_updated_at',
  '_id',
  '-_id',
  '_created_by',
  'name',
  '-name',
  'score',
  '-score',
  'job_title',
  'company_id',
  'job_title,-score',
  'score,name',
]

const inWords = (columns: string): string => columns.replaceAll(/-(\w+)/g, '$1 down').replaceAll(',', ' then ')

const sorted = (columns: string): ListQuery => ({
  name: `sort ${inWords(columns)}`,
  path: `${resources}?${sortQuery(columns)}`,
  page: 'order',
  total: 'found',
})

/** A filter by field, operator and value, and what it may read in the order of creation. */
type Filtered = readonly [field: string, op: string, value: string, page: Reads, total: Reads]

const filters = ({ changedIds, personIds, companyIds, userId }: Seeded): readonly Filtered[] => {
  const { name, email_addresses: emails } = personAttributes('person', 1234, '') as {
    name: { full_name: string }
    email_addresses: { items: string[] }
  }
  return [
    ['name', 'Is', name.full_name, 'found', 'found'],
    ['name', 'Is not', name.full_name, 'order', 'records'],
    ['name', 'Contains', name.full_name.slice(-9), 'found', 'found'],
    ['name', 'Contains', 'antwell', 'order', 'found'],
    ['name', 'Contains', 'an', 'order', 'index'],
    ['name', 'Does not contain', 'antwell', 'order', 'records'],
    ['name', 'Starts with', name.full_name.slice(0, -1), 'found', 'found'],
    ['name', 'Ends with', name.full_name.slice(-9), 'found', 'found'],
    ['name', 'Is empty', '', 'found', 'found'],
    ['name', 'Is not empty', '', 'order', 'index'],
    ['job_title', 'Is', 'Senator', 'order', 'found'],
    ['job_title', 'Is', 'Senator 1', 'found', 'found'],
    ['email_addresses', 'Contains', emails.items[0] as string, 'found', 'found'],
    ['email_addresses', 'Does not contain', emails.items[0] as string, 'order', 'records'],
    ['phone_numbers', 'Contains', '+12022243441', 'order', 'found'],
    ['company_id', 'Is', companyIds[7] as string, 'found', 'found'],
    ['company_id', 'Is not', companyIds[7] as string, 'order', 'records'],
    ['company_id', 'One of', companyIds.slice(7, 10).join(','), 'found', 'found'],
    ['company_id', 'Is empty', '', 'found', 'found'],
    ['company_id.name', 'Is', '3M 50', 'found', 'found'],
    ['company_id.name', 'Contains', 'datadog 64', 'found', 'found'],
    ['score', 'Is', '4242', 'found', 'found'],
    ['score', 'One of', '42,4242', 'found', 'found'],
    ['score', 'Greater than', '9990', 'found', 'found'],
    ['score', 'Less than', '9990', 'order', 'found'],
    ['score', 'Is empty', '', 'found', 'found'],
    ['location', 'Contains', 'CA', 'order', 'records'],
    ['_id', 'Is', personIds[7] as string, 'found', 'found'],
    ['_id', 'One of', personIds.slice(7, 10).join(','), 'found', 'found'],
    ['_created_at', 'Is after', '2020-01-01', 'order', 'found'],
    ['_updated_at', 'Is after', '2050-01-01', 'order', 'found'],
    ['_created_by', 'Is', userId, 'order', 'found'],
    ['_created_by', 'Is not', userId, 'order', 'records'],
    ['owner_id', 'Is empty', '', 'order', 'found'],
    ['_id', 'Is not', changedIds[0] as string, 'order', 'records'],
  ]
}

const filterQuery = ([field, op, value]: Filtered): string => `filter[${field}][${op}]=${encodeURIComponent(value)}`

const filtered = (given: Filtered, sort?: readonly [columns: string, page: Reads]): ListQuery => {
  const [field, op, value, page, total] = given
  const what = `filter ${field} ${op}${/^[\w -]{1,12}$/.test(value) ? ` ${value}` : ''}`
  if (sort === undefined) return { name: what, path: `${resources}?${filterQuery(given)}`, page, total }
  return {
    name: `${what} by ${inWords(sort[0])}`,
    path: `${resources}?${sortQuery(sort[0])}&${filterQuery(given)}`,
    page: sort[1],
    total,
  }
}

/** Filters in an order that is not that of creation. */
const filteredAndSorted = (seeded: Seeded): ListQuery[] => {
  const [company] = seeded.companyIds as [string]
  return [
    filtered(['company_id', 'Is', company, 'found', 'found'], ['name', 'found']),
    filtered(['name', 'Contains', 'antwell', 'found', 'found'], ['name', 'order']),
    filtered(['name', 'Contains', 'well 424', 'found', 'found'], ['score', 'found']),
    filtered(['score', 'Is', '4242', 'found', 'found'], ['name', 'found']),
    filtered(['score', 'Greater than', '5000', 'found', 'found'], ['score', 'order']),
    filtered(['score', 'Greater than', '5000', 'found', 'found'], ['-name', 'order']),
    filtered(['job_title', 'Is', 'Senator', 'found', 'found'], ['name', 'order']),
    filtered(['_updated_at', 'Is after', '2020-01-01', 'found', 'found'], ['_updated_at', 'order']),
    filtered(['_updated_at', 'Is after', '2050-01-01', 'found', 'found'], ['_updated_at', 'order']),
  ]
}

const is = (field: string, value: unknown) => ({ field, op: 'Is', value })

const tree = (name: string, filter: object, page: Reads, total: Reads): ListQuery => ({
  name: `tree ${name}`,
  path: `${resources}/query`,
  body: { filter },
  page,
  total,
})

/** Trees, and several conditions. */
const trees: readonly ListQuery[] = [
  tree('and', { and: [is('job_title', 'Senator'), is('score', 4242)] }, 'found', 'found'),
  tree('or', { or: [is('score', 42), is('name', 'Ken Calvert 4')] }, 'found', 'found'),
  tree(
    'or with a negation',
    { or: [is('score', 42), { field: 'name', op: 'Is not', value: 'Ken Calvert 4' }] },
    'order',
    'records',
  ),
  tree('not', { not: is('score', 4242) }, 'order', 'records'),
  tree(
    'range',
    {
      and: [
        { field: 'score', op: 'Greater than', value: 10 },
        { field: 'score', op: 'Less than', value: 12 },
      ],
    },
    'found',
    'found',
  ),
]

/** A search for words, and the reads that it may do in the order of creation. */
const search = (what: string, words: string, page: Reads, query = ''): ListQuery => ({
  name: `search ${what}`,
  path: `${resources}?search=${encodeURIComponent(words)}${query}`,
  page,
  total: 'found',
})

const searches = (name: string): ListQuery[] => [
  search('one', name, 'found'),
  search('many', 'cantwell', 'order'),
  search('two letters', 'wh', 'found'),
  search('and filter', 'cantwell', 'found', '&filter[score][Is]=4242'),
  search('one by name', name, 'found', `&${sortQuery('name')}`),
  search('many by name', 'cantwell', 'order', `&${sortQuery('name')}`),
]

const feeds = ({ changedIds, userId }: Seeded): ListQuery[] => {
  const feed = (name: string, query: string, page: Reads = 'found', total: Reads = 'found'): ListQuery => ({
    name: `feed ${name}`.trim(),
    path: `${person}/records/${changedIds[0]}/activities?page[limit]=50${query}`,
    page,
    total,
  })
  return [
    feed('', ''),
    feed('oldest first', '&sortOrder[column]=_created_at&sortOrder[dir]=ASC'),
    feed('of a type', '&filter[type]=svc:create'),
    feed('of an actor', `&filter[actor]=${userId}`),
    feed('since', '&filter[since]=2050-01-01T00:00:00Z'),
  ]
}

/** Lists with what they are linked to, and the links of one record. */
const relations = ({ companyIds }: Seeded): ListQuery[] => {
  const company = '/v1/workspaces/bench/objects/company'
  const people = `${company}/records/${companyIds[7]}/relationships/people?page[limit]=5`
  return [
    { name: 'include to one', path: `${resources}?include=company_id`, page: 'order', total: 'found' },
    {
      name: 'include to many and on',
      path: `${company}/resources?include=people.company_id`,
      page: 'order',
      total: 'found',
    },
    { name: 'related', path: people, page: 'found', total: 'found' },
    { name: 'related by name', path: `${people}&${sortQuery('name')}`, page: 'found', total: 'found' },
    {
      name: 'related with a filter',
      path: `${people}&filter[job_title][Is not empty]=`,
      page: 'found',
      total: 'found',
    },
  ]
}

/** Every kind of list, of an object with many records. */
export const listQueries = (seeded: Seeded): ListQuery[] => [
  ...sorts.map(sorted),
  ...filters(seeded).map((filter) => filtered(filter)),
  ...filteredAndSorted(seeded),
  ...trees,
  ...searches((personAttributes('person', 1234, '')['name'] as { full_name: string }).full_name),
  ...feeds(seeded),
  ...relations(seeded),
]
