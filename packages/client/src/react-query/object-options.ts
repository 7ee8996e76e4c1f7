import type { DataTag, InfiniteData, QueryFunction, QueryKey } from '@tanstack/react-query'
import type { From, One, Page, QuestionOf, ShownOf } from '../object-calls.ts'
import type { NameOf, ObjectTypes, Of, Target } from '../object-types.ts'
import { shownBy, type AllFields, type Fields } from '../sparse-fields.ts'
import { infiniteListOptions, type ListProcedure, type PageStart } from './infinite-list-options.ts'

/** Options of `useQuery`; the key carries the type of the data, so that `setQueryData` is typed. */
type Ask<T> = { readonly queryKey: DataTag<QueryKey, T>; readonly queryFn: QueryFunction<T> }

/** Options of `useInfiniteQuery`. */
type AskPages<T> = {
  readonly queryKey: DataTag<QueryKey, InfiniteData<T, PageStart>>
  readonly queryFn: QueryFunction<T, QueryKey, PageStart>
  readonly initialPageParam: PageStart
  readonly getNextPageParam: (page: T) => PageStart | undefined
  readonly getPreviousPageParam: (page: T) => PageStart | undefined
}

/** Options of `useMutation`. */
type Change<Variables, T> = {
  readonly mutationKey: QueryKey
  readonly mutationFn: (variables: Variables) => Promise<T>
}

/** Queries and mutations of the records of one workspace, by the types of its objects. */
export type ObjectOptions<O> = {
  readonly list: <N extends NameOf<O>, const F extends Fields<O> = AllFields>(
    object: N,
    question?: QuestionOf<O, N, F>,
  ) => Ask<Page<O, N, F>>
  readonly infiniteList: <N extends NameOf<O>, const F extends Fields<O> = AllFields>(
    object: N,
    question?: QuestionOf<O, N, F>,
  ) => AskPages<Page<O, N, F>>
  /** One record; an array is short for `{ include }`. */
  readonly get: <N extends NameOf<O>, const F extends Fields<O> = AllFields>(
    object: N,
    id: string,
    shown?: ShownOf<O, F, Of<O, N, 'include'>> | Of<O, N, 'include'>[],
  ) => Ask<One<O, N, F>>
  readonly related: <
    N extends NameOf<O>,
    R extends keyof Of<O, N, 'related'> & string,
    const F extends Fields<O> = AllFields,
  >(
    object: N,
    id: string,
    relationship: R,
    question?: QuestionOf<O, Target<O, N, R>, F, From<NoInfer<R>>>,
  ) => Ask<Page<O, Target<O, N, R>, F>>
  readonly create: <N extends NameOf<O>>(
    object: N,
  ) => Change<{ readonly attributes: Of<O, N, 'input'>; readonly links?: Of<O, N, 'links'> }, One<O, N>>
  readonly update: <N extends NameOf<O>>(
    object: N,
  ) => Change<{ readonly id: string; readonly attributes: Of<O, N, 'change'> }, { readonly data: Of<O, N, 'record'> }>
}

type Asking = ListProcedure<never, { readonly links: { readonly next: string | null } }, unknown>
type Changing = {
  readonly mutationOptions: () => { readonly mutationKey?: unknown; readonly mutationFn?: unknown }
}

/** The part of `createTRPCOptionsProxy` and `useTRPC` that is used here. */
type Procedures = {
  readonly resources: { readonly list: unknown; readonly get: unknown; readonly create: unknown }
  readonly records: { readonly update: unknown }
  readonly relationships: { readonly list: unknown }
}

const typed = (options: unknown) => options as never
const asked = (procedure: unknown, input: object) =>
  typed((procedure as Asking).queryOptions(typed(input), { trpc: { abortOnUnmount: true } }))

function changed(procedure: unknown, inputOf: (variables: never) => object) {
  const { mutationKey, mutationFn } = (procedure as Changing).mutationOptions()
  const send = mutationFn as (input: object) => Promise<unknown>
  return typed({ mutationKey, mutationFn: (variables: never) => send(inputOf(variables)) })
}

/**
 * Typed options for TanStack Query, of what `createTRPCOptionsProxy` or `useTRPC` gives: with the same keys, so that
 * `keepFresh` and what a page invalidates reach both. The responses are not checked against the types.
 */
export function objectOptions<O extends { [N in keyof O]: ObjectTypes }>(
  { resources, records, relationships }: Procedures,
  workspace: string,
): ObjectOptions<O> {
  return {
    list: (object, question) => asked(resources.list, { workspace, object, ...question }),
    infiniteList: (object, question) =>
      typed(infiniteListOptions(resources.list as Asking, typed({ workspace, object, ...question }))),
    get: (object, id, shown) => asked(resources.get, { workspace, object, id, ...shownBy(shown) }),
    related: (object, id, relationship, question) =>
      asked(relationships.list, { workspace, object, id, relationship, ...question }),
    create: (object) =>
      changed(resources.create, ({ attributes, links }: { attributes: object; links?: object }) => ({
        workspace,
        object,
        body: { data: { type: object, attributes, ...(links && { relationships: links }) } },
      })),
    update: (object) =>
      changed(records.update, ({ id, attributes }: { id: string; attributes: object }) => ({
        workspace,
        object,
        id,
        body: { data: { type: object, attributes } },
      })),
  }
}
