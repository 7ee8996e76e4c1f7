import {
  wholePageMax,
  type Filter,
  type FilterQuery,
  type RecordPage,
  type RecordResource,
  type SortColumn,
} from '@kontor/contract'
import { memberOf } from '../../lib/guards.ts'
import { DatabaseOverloaded } from '../../db/errors.ts'
import { explaining } from '../../db/explaining.ts'
import type { ReadTx } from '../../db/tx.ts'
import type { Answer, LongAnswer, Chunks, WorkspaceReadContext } from '../../kernel/implement.ts'
import { joinChunks } from '../../kernel/invoke/chunks.ts'
import type { FieldIndexes } from '../indexes/index.ts'
import { fromQuery, fromTree } from '../filters/index.ts'
import {
  parseList,
  type Envelope,
  type ListBody,
  type ListContext,
  type ParsedList,
  type ListRequest,
  type PageEdges,
  type ListScope,
} from './parse-list.ts'
import type { IdSet, ListQuery } from './list-query.ts'
import type { ListPlan } from './strategies/strategy.ts'
import { chunkRows, readPage } from './page-stream.ts'
import { explainIndexes, withPlan } from './with-plan.ts'
import { bodyLocations, queryLocations } from '../../kernel/error-locations.ts'
import type { SparseFields } from './include/resolve.ts'

/**
 * The total of a list as its page has it. A long page and its total are read by statements between which others may
 * write (0314): where the page shows where the list ends, that is the total, and elsewhere the total covers what is
 * shown.
 */
export function agreedTotal(
  total: number | undefined,
  { offset, position }: Pick<ListQuery, 'offset' | 'position'>,
  { count, before, after }: Pick<PageEdges, 'count' | 'before' | 'after'>,
): number | undefined {
  if (total === undefined) return undefined
  if (position !== undefined) return Math.max(total, count + Number(before) + Number(after))
  if (after) return Math.max(total, offset + count + 1)
  return count === 0 ? Math.min(total, offset) : offset + count
}

type Common = { readonly workspace: string; readonly object: string; readonly explain?: boolean | undefined }

type ListInput = Common & {
  readonly page: RecordPage
  readonly sortOrder?: SortColumn | SortColumn[] | undefined
  readonly filter?: FilterQuery
  readonly search?: string | undefined
  readonly fields?: SparseFields | undefined
  readonly include?: readonly string[] | undefined
}

type ReadAnswer = Answer<ListBody> | LongAnswer<ListBody>
type ListAnswer = Promise<ReadAnswer>

/** Answers a page of an object's records that the caller may see, with the exact total. */
export async function listRecords(ctx: ListContext<'forbidden'>, indexes: FieldIndexes, input: ListInput): ListAnswer {
  requireExplaining(ctx, input)
  const path = `${input.workspace}/objects/${input.object}/resources`
  return answerPage(ctx, indexes, { ...requestOf(input), path })
}

function requireExplaining(ctx: WorkspaceReadContext<'forbidden'>, { explain }: Pick<Common, 'explain'>): void {
  if (explain === true && ctx.workspace.role !== 'admin')
    throw ctx.fail('forbidden', {
      detail: 'Only admins can request an explanation of a list.',
      source: { parameter: 'explain' },
    })
}

type IdSetInput = ListInput & { readonly idSet: IdSet; readonly path: string }

/** Answers a page of an id set: in the order of the ids unless the caller sorts. */
export const listIdSet = (ctx: ListContext, indexes: FieldIndexes, input: IdSetInput): ListAnswer =>
  answerPage(ctx, indexes, {
    ...requestOf(input),
    sortOrder: input.sortOrder ?? [],
    path: input.path,
    idSet: input.idSet,
  })

type WithinInput = ListInput & {
  readonly within: ListScope
  readonly idSet: IdSet | undefined
  readonly path: string
}

/**
 * Answers a page of a list that narrows an object's records and has an order of its own, unless the caller sorts
 * otherwise.
 */
export const listWithin = (ctx: ListContext, indexes: FieldIndexes, input: WithinInput): ListAnswer =>
  answerPage(ctx, indexes, { ...requestOf(input), path: input.path, within: input.within, idSet: input.idSet })

/** Streams the records of a list request, however it was put together; they are sent as they are read. */
export const streamRecords = (
  ctx: ListContext,
  indexes: FieldIndexes,
  request: Omit<ListRequest, 'streamed' | 'linkQuery' | 'sentFilter'>,
): ListAnswer => answerPage(ctx, indexes, { ...request, streamed: true, sentFilter: undefined, linkQuery: {} })

const requestOf = ({
  object,
  page,
  sortOrder,
  filter,
  search,
  fields,
  include,
  explain,
}: ListInput): Omit<ListRequest, 'path'> => ({
  object,
  fields,
  include,
  explain,
  page,
  sortOrder,
  filter: filter && fromQuery(filter),
  search,
  errorLocations: queryLocations,
  sentFilter: filter,
  linkQuery: { sortOrder, filter, search, fields, include, page: page.total === 'none' ? { total: 'none' } : {} },
})

type QueryInput = Common & {
  /** The page parameters of a pagination link; they override those of the body. */
  readonly page?:
    | (Partial<Record<'offset' | 'limit', number | undefined>> &
        Partial<Record<'after' | 'before', string | undefined>>)
    | undefined
  readonly body: {
    readonly filter?: Filter | undefined
    readonly sort?: SortColumn[] | undefined
    readonly page: RecordPage
    readonly search?: string | undefined
    readonly fields?: SparseFields | undefined
    readonly include?: readonly string[] | undefined
  }
}

/** Answers a page for a filter tree in a body. The caller follows the links with the same body. */
export async function queryRecords(
  ctx: ListContext<'forbidden'>,
  indexes: FieldIndexes,
  { workspace, object, page: linked, body, explain }: QueryInput,
): ListAnswer {
  requireExplaining(ctx, { explain })
  const cursor =
    linked?.after !== undefined || linked?.before !== undefined ? { after: undefined, before: undefined } : {}
  const given = Object.fromEntries(Object.entries(linked ?? {}).filter(([, value]) => value !== undefined))
  return answerPage(ctx, indexes, {
    object,
    fields: body.fields,
    include: body.include,
    explain,
    page: { ...body.page, ...cursor, ...given },
    sortOrder: body.sort,
    filter: body.filter && fromTree(body.filter, '/filter'),
    search: body.search,
    errorLocations: {
      ...bodyLocations,
      page: (name) => (memberOf(linked, String(name)) === undefined ? bodyLocations : queryLocations).page(name),
    },
    sentFilter: body.filter,
    path: `${workspace}/objects/${object}/resources/query`,
    linkQuery: {},
  })
}

async function answerPage(ctx: ListContext, indexes: FieldIndexes, request: ListRequest): ListAnswer {
  const list = await parseList(ctx, request)
  const isLong = list.query.limit > wholePageMax
  if (isLong && !ctx.takesChunks) {
    throw ctx.fail('invalid_parameter', {
      detail: `At most ${wholePageMax} records in one response; over REST, larger pages are streamed.`,
      source: request.errorLocations.page('limit'),
    })
  }
  if (request.search !== undefined) indexes.documents.lookAfter(ctx.workspace.workspaceId, list.query.object.key)
  const wantsTotal = request.page.total !== 'none'
  if (request.explain === true) return { body: await answerExplained(ctx, indexes, list, wantsTotal) }
  const read = (tx: ReadTx): Promise<ReadAnswer> =>
    withPlan(tx, indexes, list.query, async (plan) => {
      const { opening, chunks } = await begin(tx, list, plan, wantsTotal)
      // A long page that fits into one chunk is answered whole.
      return isLong && opening.done !== true && opening.value.length === chunkRows
        ? { chunks }
        : { body: await joinChunks(chunks) }
    })
  // A long page is sent while it is read, and no state is held for as long as that takes.
  return isLong ? read(ctx.tx) : ctx.tx.inOneState(read)
}

async function begin(tx: ReadTx, list: ParsedList, plan: ListPlan, wantsTotal: boolean) {
  const rows = readPage(tx, list.query, plan)
  const [opening, total] = await Promise.all([rows.next(), wantsTotal ? plan.count(tx, list.query) : undefined])
  return { opening, chunks: present(list, list.answerBy(tx), opening, rows, total) }
}

/**
 * Answers a page together with its plan. The page is read at once; if reading takes too long, the answer has the plan
 * without the records, since slow lists are the ones that need explaining.
 */
async function answerExplained(
  ctx: ListContext,
  indexes: FieldIndexes,
  list: ParsedList,
  wantsTotal: boolean,
): Promise<ListBody> {
  const { tx, explained } = explaining(ctx.tx)
  return withPlan(tx, indexes, list.query, async (plan, facts) => {
    const read = async (): Promise<ListBody> => joinChunks((await begin(tx, list, plan, wantsTotal)).chunks)
    const body = await read().catch((error: unknown) => {
      if (!(error instanceof DatabaseOverloaded)) throw error
      return {
        data: [],
        ...list
          .answerBy(tx)
          .envelope({ first: undefined, last: undefined, count: 0, before: false, after: false }, undefined),
      }
    })
    const explain = {
      plan: plan.explain(list.query),
      indexes: explainIndexes(facts),
      statements: await explained(),
    }
    return { ...body, meta: { ...body.meta, explain } }
  })
}

type Rows = ReturnType<typeof readPage>

async function* present(
  { query }: ParsedList,
  answer: ReturnType<ParsedList['answerBy']>,
  opening: Awaited<ReturnType<Rows['next']>>,
  rows: Rows,
  total: number | undefined,
): Chunks<RecordResource, Envelope> {
  const ends: { -readonly [K in 'first' | 'last' | 'count']: PageEdges[K] } = {
    first: undefined,
    last: undefined,
    count: 0,
  }
  for (let next = opening; ; next = await rows.next()) {
    if (next.done === true) {
      const edges = { ...ends, ...next.value }
      return answer.envelope(edges, agreedTotal(total, query, edges))
    }
    ends.first ??= next.value[0]
    ends.last = next.value.at(-1) ?? ends.last
    ends.count += next.value.length
    yield await answer.present(next.value)
  }
}
