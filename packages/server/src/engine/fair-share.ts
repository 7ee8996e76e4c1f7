/** A workspace with due jobs, and how many of them are known. */
export type Due = { readonly workspaceId: string; readonly jobs: number }

/** Counts due jobs by their workspaces. */
export function dueOf(jobs: readonly { readonly workspace_id: string }[]): Due[] {
  const groups = Map.groupBy(jobs, ({ workspace_id }) => workspace_id)
  return [...groups].map(([workspaceId, { length }]) => ({ workspaceId, jobs: length }))
}

export type Slots = {
  readonly free: number
  /** The most slots that one workspace may hold. */
  readonly eachMax: number
  /** The number of slots that each workspace has now. */
  readonly held: ReadonlyMap<string, number>
  /** When each workspace last got a slot, as an increasing number; those that never did come first. */
  readonly lastTurn: (workspaceId: string) => number
}

/**
 * Distributes the free slots. Each next slot goes to the workspace that holds the fewest, and among equals to the one
 * that has waited longest. So a workspace with a hundred thousand jobs gets no more than one with two, as long as the
 * latter has any left.
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
