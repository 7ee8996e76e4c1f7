import type { InfiniteData, QueryFunction, QueryKey } from '@tanstack/react-query'

type Linked = { readonly links: { readonly next: string | null; readonly prev?: string | null } }

/** A list as `createTRPCOptionsProxy` and `useTRPC` of `@trpc/tanstack-react-query` have it: `trpc.resources.list`. */
export type ListProcedure<Input, Page, Failure> = {
  readonly '~types': { readonly input: Input; readonly output: Page; readonly errorShape: Failure }
  readonly queryKey: (input: Input) => QueryKey
  readonly queryOptions: (input: Input, options: object) => { readonly queryFn?: unknown }
}

/** Where a page begins, as the link to it says: the parameters of the question that differ. */
export type PageStart = Readonly<Record<string, unknown>>

/**
 * Options of `useInfiniteQuery` for a list: page after page by the cursors that the API gives, either way, so that
 * `maxPages` works too.
 */
export function infiniteListOptions<Input extends object, Page extends Linked, Failure>(
  list: ListProcedure<Input, Page, Failure>,
  input: Input,
) {
  const [path, asked] = list.queryKey(input) as [readonly string[], object]
  const queryKey = [path, { ...asked, type: 'infinite' }] as const
  const queryFn: QueryFunction<Page, typeof queryKey, PageStart> = (context) => {
    const question = { ...input, ...startWithin(input, context.pageParam) }
    const { queryFn: ask } = list.queryOptions(question, { trpc: { abortOnUnmount: true } })
    return (ask as QueryFunction<Page>)({ ...context, queryKey: list.queryKey(question) })
  }
  return {
    queryKey,
    queryFn,
    initialPageParam: {} as PageStart,
    getNextPageParam: ({ links }: Page) => startOf(links.next),
    getPreviousPageParam: ({ links }: Page) => startOf(links.prev),
  }
}

/** The data that `useInfiniteQuery` returns for such a list. */
export type InfiniteList<Page> = InfiniteData<Page, PageStart>

const numbers = new Set(['offset', 'limit'])

/** `page[after]=…&page[limit]=…` of a link. */
function startOf(link: string | null | undefined): PageStart | undefined {
  if (link == null) return undefined
  const pairs = [...new URL(link).searchParams].flatMap(([key, value]) => {
    const name = /^page\[(\w+)\]$/.exec(key)?.[1]
    return name === undefined ? [] : [[name, numbers.has(name) ? Number(value) : value] as const]
  })
  return Object.fromEntries(pairs)
}

/** The page that is asked for, at another start. */
const startWithin = (input: object, start: PageStart): object =>
  Object.keys(start).length === 0 ? {} : { page: { ...('page' in input ? (input.page as object) : {}), ...start } }
