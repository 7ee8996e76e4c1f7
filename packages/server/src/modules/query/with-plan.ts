import { defined } from '../../lib/guards.ts'
import type { ReadTx } from '../../db/tx.ts'
import { handled } from '../../lib/handled.ts'
import { isFirstIndex, keyOf, type FieldIndexes, type IndexFacts, type IndexState } from '../indexes/index.ts'
import type { ObjectModel, Column } from '../objects/index.ts'
import { isByTime, type ListQuery } from './list-query.ts'
import { planList, type PlannedRequest } from './strategies/planner.ts'
import type { IsIndexUsable } from './access-paths/access-path.ts'
import { usefulIndexes, type MissingIndex } from './access-paths/missing-indexes.ts'

/**
 * Plans and reads a list. The indexes that would have helped are requested before the answer leaves, even if reading
 * fails.
 */
export async function withPlan<T>(
  tx: ReadTx,
  indexes: FieldIndexes,
  request: ListQuery,
  read: (planned: PlannedRequest, known: PlanFacts) => Promise<T>,
): Promise<T> {
  const known = await readPlanFacts(tx, indexes, request)
  try {
    return await read({ ...request, plan: await planList(tx, request, known) }, known)
  } finally {
    await known.asked
  }
}

type PlanFacts = {
  readonly wanted: readonly MissingIndex[]
  readonly usable: IsIndexUsable
  readonly isBuilding: IsIndexUsable
  /** Total of records of the object. */
  readonly total: number
  /** Resolves once the missing indexes have been requested. */
  readonly asked: Promise<unknown>
}

/**
 * Tells whether the index of a column matches what the caller sees: it still holds options that are being cleared, and
 * references to hidden records.
 */
const isWhole = (column: Column): boolean =>
  column.kind === 'system' || (column.field.clearing.length === 0 && column.guard === undefined)

/** Reads the state of the indexes that a list could use. */
async function readPlanFacts(tx: ReadTx, indexes: FieldIndexes, request: ListQuery): Promise<PlanFacts> {
  const { workspaceId, object, filter } = request
  const wanted = usefulIndexes(request)
  const objects =
    filter === undefined && isByTime(request) ? [] : [...new Set([object, ...wanted.map((one) => one.object)])]
  const facts = new Map<string, IndexFacts>()
  await Promise.all(objects.map(async (one) => facts.set(one.key, await indexes.facts(tx, workspaceId, one))))
  const is =
    (state: IndexState['state']): IsIndexUsable =>
    (of, column, kind) =>
      facts
        .get(of.key)
        ?.states.some((one) => one.state === state && one.kind === kind && one.field === keyOf(column)) === true
  const isReady = is('ready')
  for (const { object: of, index } of wanted) {
    if (isReady(of, index.column, index.kind))
      indexes.noteUse(workspaceId, { object: of.key, field: keyOf(index.column), kind: index.kind })
  }
  const wantedOf = (one: ObjectModel) => wanted.filter((each) => each.object === one).map(({ index }) => index)
  const asked = handled(
    Promise.all(objects.map((one) => indexes.want(workspaceId, one, wantedOf(one), defined(facts.get(one.key))))),
  )
  return {
    wanted,
    usable: (of, column, kind) => isWhole(column) && (isFirstIndex(column, kind) || isReady(of, column, kind)),
    isBuilding: is('building'),
    total: facts.get(object.key)?.total ?? 0,
    asked,
  }
}
