import type { ListExplanation } from '@kontor/contract'
import { DatabaseOverloaded } from '../../../db/errors.ts'
import { ExplainingTx } from '../../../db/explaining.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { isFirstIndex, keyOf } from '../indexes/kinds.ts'
import type { FieldIndexes, IndexFacts } from '../indexes/service.ts'
import type { IndexState } from '../indexes/store.ts'
import { countMatching, listPage } from './page.ts'
import { isByTime, type PageRequest, type PageRow } from './page-request.ts'
import { explainPlan } from './plan/explain.ts'
import { planList } from './plan/plan.ts'
import type { Usable } from './plan/source.ts'
import { wantedBy, type Wanted } from './plan/wanted.ts'

type Read = { readonly rows: readonly PageRow[]; readonly total: number | undefined; readonly explain?: ListExplanation }

type Wishes = { readonly total: boolean; readonly explain: boolean }

/** Reads a page and its total. Indexes that would have helped are asked for by the time of the answer, also of one that failed. */
export async function readList(reader: ReadTx, indexes: FieldIndexes, request: PageRequest, wishes: Wishes): Promise<Read> {
  const tx = wishes.explain ? new ExplainingTx(reader) : reader
  const known = await look(tx, indexes, request)
  try {
    const planned = { ...request, plan: await planList(tx, request, known) }
    const read = (): Promise<[PageRow[], number | undefined]> => Promise.all([listPage(tx, planned), wishes.total ? countMatching(tx, planned) : undefined])
    if (!(tx instanceof ExplainingTx)) return unnamed(await read())
    const found = await read().catch(withoutRecords)
    return { ...unnamed(found), explain: { ...explainPlan(planned, known), statements: (await tx.explained()).map(({ sql, steps }) => ({ sql, steps: [...steps] })) } }
  } finally {
    await known.asked
  }
}

const unnamed = ([rows, total]: readonly [PageRow[], number | undefined]): Read => ({ rows, total })

/** What takes too long is what somebody wants to have explained. */
function withoutRecords(error: unknown): [PageRow[], undefined] {
  if (error instanceof DatabaseOverloaded) return [[], undefined]
  throw error
}

type Known = {
  readonly wanted: readonly Wanted[]
  readonly usable: Usable
  readonly isBuilding: Usable
  /** Records of the object. */
  readonly total: number
  /** Settled once the missing indexes have been asked for. */
  readonly asked: Promise<unknown>
}

/** What is known of the indexes that a list could use. */
async function look(tx: ReadTx, indexes: FieldIndexes, request: PageRequest): Promise<Known> {
  const { workspaceId, object, filter } = request
  const wanted = wantedBy(request)
  const objects = filter === undefined && isByTime(request) ? [] : [...new Set([object, ...wanted.map((one) => one.object)])]
  const facts = new Map<string, IndexFacts>()
  await Promise.all(objects.map(async (one) => facts.set(one.name, await indexes.facts(tx, workspaceId, one))))
  const is =
    (state: IndexState['state']): Usable =>
    (of, column, kind) =>
      facts.get(of.name)?.states.some((one) => one.state === state && one.kind === kind && one.field === keyOf(column)) === true
  const isReady = is('ready')
  for (const { object: of, index } of wanted) {
    if (isReady(of, index.column, index.kind)) indexes.noteUse(workspaceId, { object: of.name, field: keyOf(index.column), kind: index.kind })
  }
  const asked = Promise.all(
    objects.map((one) => indexes.want(workspaceId, one, wanted.filter((each) => each.object === one).map(({ index }) => index), facts.get(one.name) as IndexFacts)),
  )
  return { wanted, usable: (of, column, kind) => isFirstIndex(column, kind) || isReady(of, column, kind), isBuilding: is('building'), total: facts.get(object.name)?.total ?? 0, asked }
}
