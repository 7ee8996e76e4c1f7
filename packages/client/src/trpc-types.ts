import type { TRPCClient, TRPCProcedureOptions } from '@trpc/client'
import type { AppContract, CallInput, Endpoint, WriteStrategies } from '@kontor/contract'
import type { From, One, Page, QuestionOf, ShownOf } from './object-calls.ts'
import type { NameOf, Of, Target } from './object-types.ts'
import type { AllFields, Fields } from './sparse-fields.ts'
import type { AppRouter } from '@kontor/contract/trpc'

/** Every endpoint as a typed function: `client.records.get.query({ workspace, object, id })`. */
export type KontorClient = TRPCClient<AppRouter>

type Records = AppContract['records']
type Resources = AppContract['resources']

type Options = TRPCProcedureOptions

type Path<N> = { readonly workspace: string; readonly object: N }

/** Parameters of an endpoint beside its body, from the contract. */
type Parameters<E extends Endpoint, Typed extends string = never> = Omit<
  CallInput<E>,
  'workspace' | 'object' | 'body' | Typed
>

/** Parameters of a list, without those that the types of its object narrow. */
type Listing<E extends Endpoint> = Parameters<E, 'filter' | 'sortOrder' | 'include' | 'fields' | 'page' | 'search'>

type Body<N, Part, Attributes, More = unknown> = {
  readonly body: { readonly data: { readonly type: NoInfer<N>; readonly attributes: Attributes } & Part } & More
}

type TypedResources<O> = {
  readonly list: {
    readonly query: <N extends NameOf<O>, const F extends Fields<O> = AllFields>(
      input: Path<N> & QuestionOf<O, N, F> & Listing<Resources['list']>,
      options?: Options,
    ) => Promise<Page<O, N, F>>
  }
  readonly get: {
    readonly query: <N extends NameOf<O>, const F extends Fields<O> = AllFields>(
      input: Path<N> & Parameters<Resources['get'], 'include' | 'fields'> & ShownOf<O, F, Of<O, N, 'include'>>,
      options?: Options,
    ) => Promise<One<O, N, F>>
  }
  readonly create: {
    readonly mutate: <N extends NameOf<O>>(
      input: Path<N> &
        Parameters<Resources['create']> &
        Body<N, { readonly relationships?: Of<O, N, 'links'> }, Of<O, N, 'input'>>,
      options?: Options,
    ) => Promise<One<O, N>>
  }
}

type TypedRecords<O> = {
  readonly get: TypedResources<O>['get']
  readonly create: {
    readonly mutate: <N extends NameOf<O>>(
      input: Path<N> &
        Parameters<Records['create']> &
        Body<
          N,
          unknown,
          Of<O, N, 'input'>,
          { readonly match_on?: Of<O, N, 'matchOn'>; readonly meta?: WriteStrategies }
        >,
      options?: Options,
    ) => Promise<{ readonly data: Of<O, N, 'record'> }>
  }
  readonly update: {
    readonly mutate: <N extends NameOf<O>>(
      input: Path<N> & Parameters<Records['update']> & Body<N, { readonly id?: string }, Of<O, N, 'change'>>,
      options?: Options,
    ) => Promise<{ readonly data: Of<O, N, 'record'> }>
  }
}

type TypedRelationships<O> = {
  readonly list: {
    readonly query: <
      N extends NameOf<O>,
      R extends keyof Of<O, N, 'related'> & string,
      const F extends Fields<O> = AllFields,
    >(
      input: Path<N> & { readonly id: string; readonly relationship: R } & QuestionOf<
          O,
          Target<O, N, R>,
          F,
          From<NoInfer<R>>
        >,
      options?: Options,
    ) => Promise<Page<O, Target<O, N, R>, F>>
  }
}

type TypedLists<O> = {
  readonly listRecords: {
    readonly query: <N extends NameOf<O>, const F extends Fields<O> = AllFields>(
      input: Path<N> & { readonly list: string } & QuestionOf<O, N, F>,
      options?: Options,
    ) => Promise<Page<O, N, F>>
  }
}

type Over<Client, Typed> = Omit<Client, keyof Typed> & {
  readonly [K in keyof Typed]: K extends keyof Client ? Omit<Client[K], keyof Typed[K]> & Typed[K] : Typed[K]
}

/** The tRPC client, with records by the types that `kontor types` has written of the objects of a workspace. */
export type TypedKontorClient<O> = Over<
  KontorClient,
  {
    readonly resources: TypedResources<O>
    readonly records: TypedRecords<O>
    readonly relationships: TypedRelationships<O>
    readonly lists: TypedLists<O>
  }
>
