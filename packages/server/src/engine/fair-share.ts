/** A workspace with due jobs, and how many are known of. */
export type Due = { readonly workspaceId: string; readonly jobs: number }

export type Slots = {
  readonly free: number
  /** Most that one workspace may hold. */
  readonly eachMax: number
  /** How many each workspace holds now. */
  readonly held: ReadonlyMap<string, number>
  /** When each had its last turn, as a number that grows; those who had none come first. */
  readonly lastTurn: (workspaceId: string) => number
}

/**
 * Shares the free slots out: the next one always goes to whoever holds fewest, and among them to whoever has waited longest
 * for a turn. So a workspace with a hundred thousand jobs gets no more than one with two, as long as that one has any.
 */
export function shareSlots(due: readonly Due[], { free, eachMax, held, lastTurn }: Slots): Map<string, number> {
  const given = new Map<string, number>()
  const asking = due.map(({ workspaceId, jobs }) => ({
    workspaceId,
    left: jobs,
    holds: held.get(workspaceId) ?? 0,
    turn: lastTurn(workspaceId),
  }))
  for (let slot = 0; slot < free; slot++) {
    let next: (typeof asking)[number] | undefined
    for (const one of asking) {
      if (one.left === 0 || one.holds >= eachMax) continue
      if (next === undefined || one.holds < next.holds || (one.holds === next.holds && one.turn < next.turn)) next = one
    }
    if (next === undefined) break
    next.left--
    next.holds++
    given.set(next.workspaceId, (given.get(next.workspaceId) ?? 0) + 1)
  }
  return given
}
