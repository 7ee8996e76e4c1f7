import type { ListExplanation } from '@kontor/contract'
import type { ReadTx } from '../../db/tx.ts'
import { defined } from '../../lib/guards.ts'
import { handled } from '../../lib/promises.ts'
import { isBuiltInIndex, keyOf, type FieldIndexes, type IndexFacts } from '../indexes/index.ts'
import type { ObjectModel, Column } from '../objects/index.ts'
import type { AccessPath, IsIndexUsable } from './access-paths/access-path.ts'
import { usefulIndexes, type UsefulIndex } from './access-paths/useful-indexes.ts'
import { isByTime, type ListQuery } from './list-query.ts'
import { isSmallScan } from './small-scan.ts'
import { planList } from './strategies/planner.ts'
import { Planning, type PlannerFacts } from './strategies/planning.ts'
import type { ListPlan } from './strategies/strategy.ts'

/**
 * Plans and reads a list. The indexes that would have helped are requested before the answer leaves, even if reading
 * fails.
 */
export async function withPlan<T>(
  tx: ReadTx,
  indexes: FieldIndexes,
  query: ListQuery,
  read: (plan: ListPlan, facts: IndexUse) => Promise<T>,
): Promise<T> {
  const facts = await readFacts(tx, indexes, query)
  try {
    return await read(await planList(tx, query, facts), facts)
  } finally {
    await facts.requested
  }
}

/**
 * Finds the path by which all records of a list are found at the least cost, for a query that reads each of them; and
 * whether the object has so few records that reading them takes no turn.
 */
export async function cheapestPath(
  tx: ReadTx,
  indexes: FieldIndexes,
  query: ListQuery,
): Promise<{ readonly path: AccessPath | undefined; readonly isSmall: boolean }> {
  const facts = await readFacts(tx, indexes, query)
  try {
    return { path: (await new Planning(tx, query, facts).cheapest())?.path, isSmall: facts.isSmall }
  } finally {
    await facts.requested
  }
}

/** The indexes that a list uses or could use. */
type IndexUse = PlannerFacts & {
  readonly useful: readonly UsefulIndex[]
  readonly isBuilding: IsIndexUsable
  /** Resolves once the missing indexes have been requested. */
  readonly requested: Promise<unknown>
}

/**
 * Tells whether the index of a column matches what the caller sees: it still holds options that are being cleared, and
 * references to hidden records.
 */
const isIndexExact = (column: Column): boolean =>
  column.kind === 'system' || (column.field.clearing.length === 0 && column.guard === undefined)

/** Reads the state of the indexes that a list could use. */
async function readFacts(tx: ReadTx, indexes: FieldIndexes, query: ListQuery): Promise<IndexUse> {
  const { workspaceId, object, filter } = query
  const useful = usefulIndexes(query)
  const objects =
    filter === undefined && isByTime(query) ? [] : [...new Set([object, ...useful.map((one) => one.object)])]
  const facts = new Map<string, IndexFacts>()
  await Promise.all(objects.map(async (one) => facts.set(one.key, await indexes.facts(tx, workspaceId, one))))
  const is =
    (state: IndexFacts['states'][number]['state']): IsIndexUsable =>
    (of, column, kind) =>
      facts
        .get(of.key)
        ?.states.some((one) => one.state === state && one.kind === kind && one.field === keyOf(column)) === true
  const isReady = is('ready')
  for (const { object: of, index } of useful) {
    if (isReady(of, index.column, index.kind))
      indexes.noteUse(workspaceId, { object: of.key, field: keyOf(index.column), kind: index.kind })
  }
  const usefulOf = (one: ObjectModel) => useful.filter((each) => each.object === one).map(({ index }) => index)
  const requested = handled(
    Promise.all(
      objects.map((one) => indexes.requestMissing(workspaceId, one, usefulOf(one), defined(facts.get(one.key)))),
    ),
  )
  return {
    useful,
    usable: (of, column, kind) => isIndexExact(column) && (isBuiltInIndex(column, kind) || isReady(of, column, kind)),
    isBuilding: is('building'),
    total: facts.get(object.key)?.total ?? 0,
    isSmall: isSmallScan(facts.get(object.key)?.total ?? Infinity, filter),
    idsInOrder: facts.get(object.key)?.idsInOrder === true,
    keptTotals: indexes.keptTotals,
    requested,
  }
}

/** Names the indexes that a list uses or could use, each once. */
export function explainIndexes({ useful, usable, isBuilding }: IndexUse): ListExplanation['indexes'] {
  const indexes = useful.map(({ object, index: { column, kind } }) => {
    const state = usable(object, column, kind)
      ? ('ready' as const)
      : isBuilding(object, column, kind)
        ? ('building' as const)
        : ('absent' as const)
    return { object: object.name, field: column.name, kind, state }
  })
  return indexes.filter(
    (one, at) =>
      indexes.findIndex(
        (other) => other.field === one.field && other.object === one.object && other.kind === one.kind,
      ) === at,
  )
}
