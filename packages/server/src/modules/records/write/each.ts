import type { ErrorCode } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import { Failure, type Fault } from '../../../kernel/errors.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { HeldValues, holdValues } from './side-rows.ts'

/** The outcome of one item of a body. */
export type ItemOutcome<Result> = { readonly result: Result } | { readonly refusal: Failure }

type Work<Code extends ErrorCode, Item, Result> = (
  ctx: WriteContext<Code>,
  items: readonly Item[],
) => Promise<readonly Result[]>

type Steps<Code extends ErrorCode, Item, Prepared, Result> = {
  /** Checks items and locks what they refer to; writes nothing. */
  readonly prepare: Work<Code, Item, Prepared>
  readonly write: Work<Code, Prepared, Result>
}

/** Things by the position of their item in the body. */
type ByPosition<T> = ReadonlyMap<number, T>

/**
 * Most attempts that drop the items which the last failure named. One failure usually names all items that are wrong in
 * one respect, so a body with mistakes takes three attempts; beyond these, halving bounds their number.
 */
const triesMax = 4

/** The position of a fault's item; items are in `/data` of the body. */
const positionOf = ({ source }: Fault): number | undefined => {
  const digits = /^\/data\/(\d+)(?:\/|$)/.exec(source?.pointer ?? '')?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/**
 * Writes items in their order as if each came by itself, and returns the outcome of each. All are written together
 * until something is refused: a savepoint for each of 10,000 would take longer than their inserts.
 *
 * A savepoint that is rolled back gives its locks back. What the items refer to is therefore locked outside of it, and
 * so are the values for which some are refused: else others could change these between two attempts, and no order of
 * calls would explain the outcomes of both (docs/decisions/0120).
 */
export async function writeEach<Code extends ErrorCode, Item, Prepared, Result>(
  ctx: WriteContext<Code>,
  items: readonly Item[],
  { prepare, write }: Steps<Code, Item, Prepared, Result>,
): Promise<ItemOutcome<Result>[]> {
  // One version cannot apply to many records.
  const unconditional = (one: WriteContext<Code>): WriteContext<Code> => ({ ...one, ifMatch: undefined })
  const refusals = new Map<number, Failure>(ctx.refusedItems)
  const refuse = async (failure: Failure, faults: ByPosition<readonly Fault[]>): Promise<void> => {
    if (failure instanceof HeldValues) await holdValues(ctx, failure)
    for (const [position, some] of faults) refusals.set(position, new Failure(some))
  }
  const sound = new Map([...items.entries()].filter(([position]) => !refusals.has(position)))
  const prepared = await settle(sound, (some) => prepare(unconditional(ctx), some), refuse)
  const results = await settle(prepared, (some) => ctx.attempt((inner) => write(unconditional(inner), some)), refuse)
  return items.map((_, position) => {
    const refusal = refusals.get(position)
    return refusal === undefined ? { result: defined(results.get(position)) } : { refusal }
  })
}

/** Does work for items in their order, without those that it refuses; returns what it did for the others. */
async function settle<Item, Result>(
  items: ByPosition<Item>,
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  refuse: (failure: Failure, faults: ByPosition<readonly Fault[]>) => Promise<void>,
): Promise<ByPosition<Result>> {
  let left = [...items]
  for (let tries = 0; tries < triesMax && left.length > 0; tries++) {
    try {
      const results = await work(left.map(([, item]) => item))
      return new Map(left.map(([position], index) => [position, defined(results[index])]))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const faults = left.length === 1 ? new Map([[defined(left[0])[0], error.faults]]) : faultsByPosition(error)
      if (faults.size === 0) break
      await refuse(error, faults)
      left = left.filter(([position]) => !faults.has(position))
    }
  }
  if (left.length === 0) return new Map()
  const middle = Math.ceil(left.length / 2)
  const first = await settle(new Map(left.slice(0, middle)), work, refuse)
  return new Map([...first, ...(await settle(new Map(left.slice(middle)), work, refuse))])
}

function faultsByPosition({ faults }: Failure): ByPosition<readonly Fault[]> {
  const byPosition = new Map<number, Fault[]>()
  for (const fault of faults) {
    const position = positionOf(fault)
    if (position === undefined) continue
    const own = byPosition.get(position)
    if (own === undefined) byPosition.set(position, [fault])
    else own.push(fault)
  }
  return byPosition
}
