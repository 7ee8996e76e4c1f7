import { records, relationships, resources, type CallInput, type Output } from '@kontor/contract'
import type { Connection } from './credential.ts'
import { createRestClient } from './rest.ts'

/** What `kontor types` writes of one object. */
type ObjectTypes = {
  record: object
  input: object
  change: object
  links: object
  column: string
  include: string
  related: object
}

type Named<O> = keyof O & string

type Page<O, R> = Omit<Output<typeof resources.list>, 'data' | 'included'> & {
  readonly data: R[]
  readonly included: Of<O, Named<O>, 'record'>[]
}
type One<O, R> = { readonly data: R; readonly included: Of<O, Named<O>, 'record'>[] }

type Of<O, N extends keyof O, Part extends keyof ObjectTypes> = O[N] extends ObjectTypes ? O[N][Part] : never
/** The object at the other end of a relationship. */
type Target<O, N extends keyof O, R extends keyof Of<O, N, 'related'>> = Of<O, N, 'related'>[R] & Named<O>

type Listing = CallInput<typeof resources.list>
type Question<Column, Include> = Pick<Listing, 'filter' | 'page'> & {
  readonly sortOrder?: Sort<Column> | Sort<Column>[]
  readonly include?: Include[]
}
type Sort<Column> = { column: Column; dir: 'ASC' | 'DESC' }

type Links = CallInput<typeof resources.create>['body']['data']['relationships']

/** A path of an include that begins with a relationship. */
type From<R extends string> = R | `${R}.${string}`

/** The records of one workspace, by the types of its objects. */
export type ObjectsClient<O> = {
  /** Page after page, following `links.next`. */
  readonly pages: <N extends Named<O>>(
    object: N,
    question?: Question<Of<O, N, 'column'>, Of<O, N, 'include'>>,
  ) => AsyncGenerator<Page<O, Of<O, N, 'record'>>, void, undefined>
  readonly list: <N extends Named<O>>(
    object: N,
    question?: Question<Of<O, N, 'column'>, Of<O, N, 'include'>>,
  ) => Promise<Page<O, Of<O, N, 'record'>>>
  readonly get: <N extends Named<O>>(
    object: N,
    id: string,
    include?: Of<O, N, 'include'>[],
  ) => Promise<One<O, Of<O, N, 'record'>>>
  /**
   * A page of the records that one is linked to; `include` names paths from that one, so they begin with the
   * relationship.
   */
  readonly related: <N extends Named<O>, R extends keyof Of<O, N, 'related'> & string>(
    object: N,
    id: string,
    relationship: R,
    question?: Question<Of<O, Target<O, N, R>, 'column'>, From<NoInfer<R>>>,
  ) => Promise<Page<O, Of<O, Target<O, N, R>, 'record'>>>
  readonly create: <N extends Named<O>>(
    object: N,
    attributes: Of<O, N, 'input'>,
    links?: Of<O, N, 'links'>,
  ) => Promise<One<O, Of<O, N, 'record'>>>
  readonly update: <N extends Named<O>>(
    object: N,
    id: string,
    attributes: Of<O, N, 'change'>,
  ) => Promise<Of<O, N, 'record'>>
  readonly remove: (object: Named<O>, id: string) => Promise<void>
}

// The contract's types fit any object, those of the workspace one: only in these two does one stand for the other.
const valuesOf = (attributes: unknown) => attributes as Record<string, unknown>
const typed = (answer: unknown) => answer as never

/**
 * A client for the records of a workspace, typed by what `kontor types` has written of its objects. What the server
 * answers is taken as they say: write them anew when schemas change. Throws as `createRestClient` does.
 */
export function createObjectsClient<O extends { [N in keyof O]: ObjectTypes }>(
  connection: Connection,
  workspace: string,
): ObjectsClient<O> {
  const rest = createRestClient(connection)
  return {
    pages: (object, question) => typed(rest.pages(resources.list, { workspace, object, ...question })),
    list: async (object, question) => typed((await rest.call(resources.list, { workspace, object, ...question })).body),
    get: async (object, id, include) =>
      typed((await rest.call(resources.get, { workspace, object, id, ...(include && { include }) })).body),
    related: async (object, id, relationship, question) =>
      typed((await rest.call(relationships.list, { workspace, object, id, relationship, ...question })).body),
    async create(object, attributes, links) {
      const data = { type: object, attributes: valuesOf(attributes), ...(links && { relationships: links as Links }) }
      return typed((await rest.call(resources.create, { workspace, object, body: { data } })).body)
    },
    update: async (object, id, attributes) =>
      typed(
        (
          await rest.call(records.update, {
            workspace,
            object,
            id,
            body: { data: { type: object, attributes: valuesOf(attributes) } },
          })
        ).body.data,
      ),
    remove: async (object, id) => void (await rest.call(records.remove, { workspace, object, id })),
  }
}
