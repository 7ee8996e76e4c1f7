import { createKontorClient, createRestClient } from '@kontor/client'
import { infiniteListOptions, keepFresh, objectOptions } from '@kontor/client/react-query'
import type { AppRouter } from '@kontor/contract/trpc'
import { InfiniteQueryObserver, QueryClient, QueryObserver, type QueryState } from '@tanstack/react-query'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
await app.startJobs()
const connection = { url: app.baseUrl, apiKey: app.credentials.keys.adminKey! }
const kontor = createKontorClient(connection)
const records = recordsOf(app)

const patience = { timeout: 30_000 }

const answersOf = (state: QueryState): number => state.dataUpdateCount + state.errorUpdateCount

/** A page's cache, with what reads and writes it. */
function openPage() {
  const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } })
  queryClient.mount()
  onTestFinished(() => {
    queryClient.clear()
    queryClient.unmount()
  })
  const trpc = createTRPCOptionsProxy<AppRouter>({ client: kontor, queryClient })
  return { queryClient, trpc }
}

const all = { workspace: 'acme', object: 'deal' }

test('queries and mutations work by the options of tRPC for TanStack Query', async () => {
  const { queryClient, trpc } = openPage()
  const create = trpc.records.create.mutationOptions()
  const { data: made } = await create.mutationFn!(
    { ...all, body: { data: { type: 'deal', attributes: { name: 'By options' } } } },
    { client: queryClient, meta: undefined },
  )
  const { data } = await queryClient.fetchQuery(trpc.records.get.queryOptions({ ...all, id: made.id }))
  expect(data).toEqual(made)
  expect(queryClient.getQueryData(trpc.records.get.queryKey({ ...all, id: made.id }))?.data.id).toBe(made.id)
  await expect(queryClient.fetchQuery(trpc.records.get.queryOptions({ ...all, id: 'none' }))).rejects.toMatchObject({
    name: 'KontorTrpcError',
    code: 'not_found',
  })
})

test('an infinite list is read by the cursors of the API, forward and back, and again as a whole', async () => {
  const { queryClient, trpc } = openPage()
  const made = await records.createMany(
    'deal',
    Array.from({ length: 7 }, (_, i) => ({ name: `Page ${i}` })),
  )
  const input = {
    ...all,
    filter: { name: { 'Starts with': 'Page' } },
    sortOrder: { column: 'name', dir: 'ASC' as const },
    page: { limit: 3, total: 'none' as const },
  }
  const list = new InfiniteQueryObserver(queryClient, infiniteListOptions(trpc.resources.list, input))
  onTestFinished(list.subscribe(() => undefined))
  const names = () =>
    list.getCurrentResult().data?.pages.map(({ data }) => data.map(({ attributes }) => attributes['name']))
  await expect.poll(names, patience).toEqual([['Page 0', 'Page 1', 'Page 2']])
  await list.fetchNextPage()
  await list.fetchNextPage()
  expect(names()).toEqual([['Page 0', 'Page 1', 'Page 2'], ['Page 3', 'Page 4', 'Page 5'], ['Page 6']])
  expect(list.getCurrentResult().hasNextPage).toBe(false)
  expect(list.getCurrentResult().data?.pages[0]?.meta.total_records).toBeUndefined()

  await records.patch('deal', made[3]!.id, { name: 'Page 3, renamed' })
  await queryClient.invalidateQueries(trpc.resources.pathFilter())
  expect(names()?.[1]).toEqual(['Page 3, renamed', 'Page 4', 'Page 5'])

  const short = new InfiniteQueryObserver(queryClient, {
    ...infiniteListOptions(trpc.resources.list, input),
    maxPages: 1,
  })
  onTestFinished(short.subscribe(() => undefined))
  await short.fetchNextPage()
  await short.fetchPreviousPage()
})

test('lists that are read by offset are infinite too, and so are queries with a body', async () => {
  const { queryClient, trpc } = openPage()
  const users = new InfiniteQueryObserver(
    queryClient,
    infiniteListOptions(trpc.users.list, { workspace: 'acme', page: { limit: 2 } }),
  )
  onTestFinished(users.subscribe(() => undefined))
  await expect.poll(() => users.getCurrentResult().isSuccess, patience).toBe(true)
  while (users.getCurrentResult().hasNextPage) await users.fetchNextPage()
  const { pages } = users.getCurrentResult().data!
  expect(new Set(pages.flatMap(({ data }) => data.map(({ id }) => id))).size).toBe(pages[0]!.meta.total_records)
})

/** Of the kind that `kontor types` writes. */
type Deal = { name: string | null; amount: number | null }
type Objects = {
  deal: {
    record: { type: 'deal'; id: string; attributes: Deal; relationships: object }
    input: Partial<Deal>
    change: Partial<Deal>
    links: { company_id?: { data: { type: 'company'; id: string } } }
    column: 'name' | 'amount'
    filter: { amount?: { 'Greater than'?: number } }
    matchOn: never
    include: 'company_id'
    related: Record<string, never>
  }
}

test('queries, lists and changes are typed by the objects of the workspace, under the keys of tRPC', async () => {
  const { queryClient, trpc } = openPage()
  const acme = objectOptions<Objects>(trpc, 'acme')
  const { mutationFn: create } = acme.create('deal')
  const { data: made } = await create({ attributes: { name: 'Typed', amount: 77_001 } })
  const above = { filter: { amount: { 'Greater than': 77_000 } }, sortOrder: { column: 'amount', dir: 'ASC' } } as const
  const { data } = await queryClient.fetchQuery(acme.list('deal', above))
  const amount: number | null | undefined = data[0]?.attributes.amount
  expect([data.length, amount]).toEqual([1, 77_001])

  const { mutationFn: update } = acme.update('deal')
  const changed = await update({ id: made.id, attributes: { name: 'Typed anew' } })
  const name: string | null = changed.data.attributes.name
  expect(name).toBe('Typed anew')
  await queryClient.fetchQuery(acme.get('deal', made.id, ['company_id']))
  const key = trpc.resources.get.queryKey({ ...all, id: made.id, include: ['company_id'] })
  expect(queryClient.getQueryData(key)?.data.attributes['name']).toBe('Typed anew')
  const { pages } = await queryClient.fetchInfiniteQuery(acme.infiniteList('deal', above))
  expect(pages[0]?.data[0]?.attributes.name).toBe('Typed anew')

  const { queryKey } = acme.get('deal', made.id)
  queryClient.setQueryData(queryKey, (old) => old && { ...old, data: { ...changed.data, id: made.id } })
  const pageKey = acme.infiniteList('deal', above).queryKey
  const cached: number | null | undefined = queryClient.getQueryData(pageKey)?.pages[0]?.data[0]?.attributes.amount
  expect(cached).toBe(77_001)
  // @ts-expect-error the data under this key has records
  void (() => queryClient.setQueryData(queryKey, { data: 'x' }))

  const named = await queryClient.fetchQuery(acme.list('deal', { ...above, fields: { deal: ['name'] } }))
  expect(named.data[0]?.attributes.name).toBe('Typed anew')
  // @ts-expect-error the amount was not requested
  expect(named.data[0]?.attributes.amount).toBeUndefined()
  const one = await queryClient.fetchQuery(acme.get('deal', made.id, { fields: { deal: ['amount'] } }))
  expect(Object.keys(one.data.attributes).filter((field) => !field.startsWith('_'))).toEqual(['amount'])

  // @ts-expect-error there is no such object
  acme.list('deals')
  // @ts-expect-error there is no such column
  acme.list('deal', { sortOrder: { column: 'amounts', dir: 'ASC' } })
  // @ts-expect-error an amount is a number
  void (() => create({ attributes: { amount: '5' } }))
})

/** A page that follows events; `asked` tells which of its queries were asked again since it was last called. */
async function openLivePage() {
  const page = openPage()
  const stopping = new AbortController()
  const connected = Promise.withResolvers<void>()
  const rest = createRestClient(connection)
  const following = keepFresh(page.queryClient, rest, 'acme', { signal: stopping.signal, onConnect: connected.resolve })
  onTestFinished(async () => {
    stopping.abort()
    await following
  })
  await connected.promise
  const cache = page.queryClient.getQueryCache()
  const counts = new Map<string, number>()
  const asked = async (wanted: string[]): Promise<void> => {
    const names: string[] = []
    await expect
      .poll(() => {
        for (const { meta, state } of cache.getAll()) {
          const name = String(meta?.['name'])
          if (counts.has(name) && counts.get(name) !== answersOf(state)) names.push(name)
          counts.set(name, answersOf(state))
        }
        return [...new Set(names)].toSorted()
      }, patience)
      .toEqual(wanted.toSorted())
  }
  const show = async (name: string, options: object): Promise<void> => {
    const meta = { name }
    const isInfinite = 'initialPageParam' in options
    const observer = isInfinite
      ? new InfiniteQueryObserver(page.queryClient, { ...options, meta } as never)
      : new QueryObserver(page.queryClient, { ...options, meta } as never)
    onTestFinished(observer.subscribe(() => undefined))
    await expect.poll(() => observer.getCurrentResult().isSuccess, patience).toBe(true)
  }
  return { ...page, show, asked }
}

test('a page that follows events asks again what they touch, and nothing else', async () => {
  const company = await records.create('company', { name: 'Owner Inc' })
  const [one, other] = await records.createMany('deal', [{ name: 'One' }, { name: 'Other' }])
  await app.idle()
  const { trpc, show, asked } = await openLivePage()
  const companies = { workspace: 'acme', object: 'company' }
  await show('one', trpc.records.get.queryOptions({ ...all, id: one!.id }))
  await show('other', trpc.records.get.queryOptions({ ...all, id: other!.id }))
  await show('deals', infiniteListOptions(trpc.resources.list, { ...all, page: { limit: 1 } }))
  await show('companies', trpc.resources.list.queryOptions(companies))
  await show('people', trpc.resources.list.queryOptions({ workspace: 'acme', object: 'person' }))
  await show('company', trpc.resources.get.queryOptions({ ...companies, id: company.id }))
  await show(
    'people of the company',
    trpc.relationships.list.queryOptions({
      ...companies,
      id: company.id,
      relationship: 'people',
    }),
  )
  await show('what happened to one', trpc.activities.list.queryOptions({ ...all, record: one!.id }))
  await show('files of one', trpc.attachments.list.queryOptions({ ...all, id: one!.id }))
  await show('members', trpc.users.list.queryOptions({ workspace: 'acme' }))
  await asked([])

  await records.patch('deal', one!.id, { amount: 5 })
  await asked(['one', 'deals', 'what happened to one'])
  await records.create('person', { name: { first_name: 'Ada' }, company_id: company.id })
  await asked(['people', 'company', 'companies', 'people of the company'])
  await records.remove('deal', [other!.id])
  await asked(['deals', 'other'])
})
