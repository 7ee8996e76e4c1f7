import type { Connection } from './connection.ts'
import type { From, Links, Listing, One, Page, QuestionOf, ShownOf } from './object-calls.ts'
import type { NameOf, ObjectTypes, Of, Target } from './object-types.ts'
import { records, relationships, resources } from './operations.ts'
import { createRestClient } from './rest.ts'
import { shownBy, type AllFields, type Fields, type RecordOf } from './sparse-fields.ts'

/** The records of one workspace, by the types of its objects. */
export type ObjectsClient<O> = {
  /** Page after page, following `links.next`. */
  readonly pages: <N extends NameOf<O>, const F extends Fields<O> = AllFields>(
    object: N,
    question?: QuestionOf<O, N, F>,
  ) => AsyncGenerator<Page<O, N, F>, void, undefined>
  /** Record after record, page by page. */
  readonly all: <N extends NameOf<O>, const F extends Fields<O> = AllFields>(
    object: N,
    question?: QuestionOf<O, N, F>,
  ) => AsyncGenerator<RecordOf<O, N, F>, void, undefined>
  /** A page of records; `fields` limits their attributes, and their types with them. */
  readonly list: <N extends NameOf<O>, const F extends Fields<O> = AllFields>(
    object: N,
    question?: QuestionOf<O, N, F>,
  ) => Promise<Page<O, N, F>>
  /** One record; an array is short for `{ include }`. */
  readonly get: <N extends NameOf<O>, const F extends Fields<O> = AllFields>(
    object: N,
    id: string,
    shown?: ShownOf<O, F, Of<O, N, 'include'>> | Of<O, N, 'include'>[],
  ) => Promise<One<O, N, F>>
  /**
   * A page of the records that one is linked to; `include` names paths from that one, so they begin with the
   * relationship.
   */
  readonly related: <
    N extends NameOf<O>,
    R extends keyof Of<O, N, 'related'> & string,
    const F extends Fields<O> = AllFields,
  >(
    object: N,
    id: string,
    relationship: R,
    question?: QuestionOf<O, Target<O, N, R>, F, From<NoInfer<R>>>,
  ) => Promise<Page<O, Target<O, N, R>, F>>
  readonly create: <N extends NameOf<O>>(
    object: N,
    attributes: Of<O, N, 'input'>,
    links?: Of<O, N, 'links'>,
  ) => Promise<One<O, N>>
  /** Changes the record that has the same value in a unique field, or creates one. */
  readonly upsert: <N extends NameOf<O>>(
    object: N,
    matchOn: Of<O, N, 'matchOn'>,
    attributes: Of<O, N, 'input'>,
  ) => Promise<Of<O, N, 'record'>>
  readonly update: <N extends NameOf<O>>(
    object: N,
    id: string,
    attributes: Of<O, N, 'change'>,
  ) => Promise<Of<O, N, 'record'>>
  readonly remove: (object: NameOf<O>, id: string) => Promise<void>
}

// The contract's types fit any object, those of the workspace one: only in these does one stand for the other.
const valuesOf = (attributes: unknown) => attributes as Record<string, unknown>
const asked = (question: object | undefined): Omit<Listing, 'workspace' | 'object'> | undefined => question
const typed = (answer: unknown) => answer as never

/**
 * Creates a client for the records of a workspace, with the types that `kontor types` writes of its objects. Responses
 * are not checked against these types: write them again when schemas change. Throws as `createRestClient` does.
 */
export function createObjectsClient<O extends { [N in keyof O]: ObjectTypes }>(
  connection: Connection,
  workspace: string,
): ObjectsClient<O> {
  const rest = createRestClient(connection)
  return {
    pages: (object, question) => typed(rest.pages(resources.list, { workspace, object, ...asked(question) })),
    all: (object, question) => typed(rest.all(resources.list, { workspace, object, ...asked(question) })),
    list: async (object, question) =>
      typed((await rest.call(resources.list, { workspace, object, ...asked(question) })).body),
    get: async (object, id, shown) =>
      typed((await rest.call(resources.get, { workspace, object, id, ...shownBy(shown) })).body),
    related: async (object, id, relationship, question) =>
      typed((await rest.call(relationships.list, { workspace, object, id, relationship, ...asked(question) })).body),
    async create(object, attributes, links) {
      const data = { type: object, attributes: valuesOf(attributes), ...(links && { relationships: links as Links }) }
      return typed((await rest.call(resources.create, { workspace, object, body: { data } })).body)
    },
    async upsert(object, matchOn, attributes) {
      const body = { data: { type: object, attributes: valuesOf(attributes) }, match_on: matchOn }
      return typed((await rest.call(records.create, { workspace, object, body })).body.data)
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
