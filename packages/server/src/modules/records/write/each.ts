import type { ErrorCode } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import { Failure, type Fault } from '../../../kernel/errors.ts'
import type { WriteContext } from '../../../kernel/implement.ts'

/** The outcome of one item of a body. */
export type ItemOutcome<Result> = { readonly result: Result } | { readonly refusal: Failure }

type Write<Code extends ErrorCode, Item, Result> = (
  ctx: WriteContext<Code>,
  items: readonly Item[],
) => Promise<readonly Result[]>

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
 */
export async function writeEach<Code extends ErrorCode, Item, Result>(
  ctx: WriteContext<Code>,
  items: readonly Item[],
  write: Write<Code, Item, Result>,
): Promise<ItemOutcome<Result>[]> {
  const outcomes: ItemOutcome<Result>[] = []
  const settle = async (positions: readonly number[]): Promise<void> => {
    let left = positions
    for (let tries = 0; tries < triesMax && left.length > 0; tries++) {
      const refused = await attempt(left)
      if (refused === undefined) return
      if (refused.size === 0) break
      for (const [position, faults] of refused) outcomes[position] = { refusal: new Failure(faults) }
      left = left.filter((position) => !refused.has(position))
    }
    if (left.length === 0) return
    const middle = Math.ceil(left.length / 2)
    await settle(left.slice(0, middle))
    await settle(left.slice(middle))
  }
  /** Returns undefined once the items are written, or the faults by the position of their item. */
  const attempt = async (positions: readonly number[]): Promise<ReadonlyMap<number, readonly Fault[]> | undefined> => {
    try {
      // One version cannot apply to many records.
      const results = await ctx.attempt((inner) =>
        write(
          { ...inner, ifMatch: undefined },
          positions.map((position) => defined(items[position])),
        ),
      )
      positions.forEach((position, index) => (outcomes[position] = { result: defined(results[index]) }))
      return undefined
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return positions.length === 1 ? new Map([[defined(positions[0]), error.faults]]) : faultsByPosition(error)
    }
  }
  await settle(items.map((_, position) => position))
  return outcomes
}

function faultsByPosition({ faults }: Failure): ReadonlyMap<number, readonly Fault[]> {
  const byPosition = new Map<number, Fault[]>()
  for (const fault of faults) {
    const position = positionOf(fault)
    if (position !== undefined) byPosition.set(position, [...(byPosition.get(position) ?? []), fault])
  }
  return byPosition
}
