import type { TestApp } from '../../harness/app.ts'
import type { Json } from '../../harness/http.ts'
import { mcpOf } from '../../harness/mcp.ts'
import type { Caller } from '../../harness/people.ts'
import { resourcesPath } from '../../harness/records.ts'

const W = '/workspaces/acme'

/** Filters, orders and groups that values of deals decide, of deals themselves and of what refers to them. */
const filters: readonly Json[] = [
  { field: 'amount', op: 'Greater than', value: 5 },
  { not: { field: 'stage', op: 'Is', value: 'Won' } },
  {
    or: [
      { field: 'company_id.name', op: 'Is', value: 'Acme' },
      { field: 'code', op: 'Is not empty' },
    ],
  },
]
const ticketFilters: readonly Json[] = [
  { field: 'deal_id.amount', op: 'Greater than', value: 5 },
  { field: 'deal_id.name', op: 'Contains', value: 'a' },
  { field: 'deal_id.stage', op: 'Is empty' },
  { not: { field: 'deal_id.stage', op: 'Is', value: 'Won' } },
]
const measures = ['count', 'sum', 'min', 'max', 'median', 'count_distinct'].map((name) =>
  name === 'count' ? { function: name } : { function: name, field: 'amount' },
)
const groups: readonly Json[] = [[], [{ field: 'stage' }], [{ field: 'company_id' }]]
export const statements = [
  'SELECT count(*), sum(amount), min(amount), max(amount) FROM deal',
  'SELECT stage, count(*) FROM deal GROUP BY stage ORDER BY count(*) DESC',
  'SELECT c.name, count(d._id) FROM company c LEFT JOIN deal d ON d.company_id = c._id GROUP BY c.name ORDER BY c.name',
  'SELECT t.name, d.amount FROM c_ticket t LEFT JOIN deal d ON t.deal_id = d._id ORDER BY d.amount DESC, t.name',
  'SELECT t.name FROM c_ticket t JOIN deal d ON t.deal_id = d._id WHERE d.amount > 5',
  'SELECT t.name FROM c_ticket t WHERE t.deal_id IS NULL ORDER BY t.name',
  'SELECT count(DISTINCT deal_id) FROM c_ticket',
]

/** A request by name; its response depends only on what its caller may see. */
export type Door = readonly [name: string, open: (as: Caller) => Promise<Json>]

/** The doors to numbers and orders of deals and tickets. `ids` are records that everyone sees. */
export function doorsOf(
  app: TestApp,
  ids: { readonly company: string; readonly person: string; readonly list: string },
) {
  const { api } = app
  const post = (path: string, body: Json) => async (as: Caller) => (await api.post(path, { as, body })).body
  const get =
    (path: string, query: Json = {}) =>
    async (as: Caller) =>
      (await api.get(path, { as, query })).body
  const list = (object: string, query: Json) => get(resourcesPath(object), query)
  const doors: Door[] = [
    ['list of deals', list('deal', { 'page[limit]': 2, 'sortOrder[column]': 'amount', 'sortOrder[dir]': 'DESC' })],
    ['second page of deals', list('deal', { 'page[limit]': 1, 'page[offset]': 1 })],
    ['filter in a URL', list('deal', { 'filter[amount]': '>5' })],
    ['order of tickets', list('c_ticket', { 'sortOrder[column]': 'deal_id', 'sortOrder[dir]': 'DESC' })],
    ['tickets with their deals', list('c_ticket', { include: 'deal_id' })],
    ['companies with their deals', list('company', { include: 'deals' })],
    ['a company', get(`${resourcesPath('company')}/${ids.company}`, { include: 'deals' })],
    ['a person', get(`${resourcesPath('person')}/${ids.person}`, { include: 'deals' })],
    ['deals of a person', get(`${W}/objects/person/records/${ids.person}/relationships/deals`)],
    ['deals of a company', get(`${W}/objects/company/records/${ids.company}/relationships/deals`)],
    ['number of deals', get(`${W}/objects/deal/stats`)],
    ['deleted deals', get(`${W}/objects/deal/deleted-resources`)],
    ['records of a list', get(`${W}/objects/deal/lists/${ids.list}/resources`)],
    ['a list as CSV', post(`${W}/objects/deal/lists/${ids.list}/rows/csv`, {})],
    ['search', post(`${W}/search`, { query: 'hidden' })],
    ...filters.map((filter, n): Door => [`query ${n}`, post(`${resourcesPath('deal')}/query`, { filter })]),
    ...ticketFilters.flatMap((filter, n): Door[] => [
      [`query of tickets ${n}`, post(`${resourcesPath('c_ticket')}/query`, { filter })],
      [`aggregate of tickets ${n}`, post(`${resourcesPath('c_ticket')}/aggregate`, { filter })],
    ]),
    ...groups.map((group_by, n): Door => [
      `aggregate ${n}`,
      post(`${resourcesPath('deal')}/aggregate`, { group_by, measures }),
    ]),
    ['tickets by deal', post(`${resourcesPath('c_ticket')}/aggregate`, { group_by: [{ field: 'deal_id' }] })],
    ...statements.map((sql): Door => [sql, post(`${W}/sql`, { sql })]),
    ['SQL as CSV', post(`${W}/sql/csv`, { sql: statements[2] })],
    [
      'tools for agents',
      async (as) => {
        const { call } = await mcpOf(app, { as })
        return [
          await call('list', { object: 'deal' }),
          await call('aggregate', { object: 'deal', group_by: [{ field: 'stage' }] }),
          await call('search', { query: 'hidden' }),
          await call('sql', { sql: statements[0] }),
        ]
      },
    ],
  ]
  return doors
}
