import type { ErrorCode } from '@kontor/contract'
import { Failure, type Fault } from '../../../kernel/errors.ts'
import type { WriteContext } from '../../../kernel/implement.ts'

/** What became of one item of a body. */
export type ItemOutcome<Result> = { readonly result: Result } | { readonly refusal: Failure }

type Write<Code extends ErrorCode, Item, Result> = (
  ctx: WriteContext<Code>,
  items: readonly Item[],
) => Promise<readonly Result[]>

/**
 * Tries at the items that a failure does not take out. One failure mostly names all that are wrong in one respect, so a
 * body with mistakes takes three tries; beyond these, halving keeps their number in bounds.
 */
const triesMax = 4

/** Items stand in `/data` of the body. */
const positionOf = ({ source }: Fault): number | undefined => {
  const digits = /^\/data\/(\d+)(?:\/|$)/.exec(source?.pointer ?? '')?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/**
 * Writes items as if each came by itself, in their order, and says of each what became of it. All go together until
 * something is refused: a savepoint for each of 10,000 would take longer than their inserts.
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
  /** Undefined once they are written, or the faults by the position of their item. */
  const attempt = async (
    positions: readonly number[],
  ): Promise<Map<number, readonly [Fault, ...Fault[]]> | undefined> => {
    try {
      // One version cannot be meant for many records.
      const results = await ctx.attempt((inner) =>
        write(
          { ...inner, ifMatch: undefined },
          positions.map((position) => items[position] as Item),
        ),
      )
      positions.forEach((position, index) => (outcomes[position] = { result: results[index] as Result }))
      return undefined
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return positions.length === 1 ? new Map([[positions[0] as number, error.faults]]) : faultsByPosition(error)
    }
  }
  await settle(items.map((_, position) => position))
  return outcomes
}

function faultsByPosition({ faults }: Failure): Map<number, [Fault, ...Fault[]]> {
  const byPosition = Map.groupBy(faults, positionOf)
  byPosition.delete(undefined)
  return byPosition as Map<number, [Fault, ...Fault[]]>
}
