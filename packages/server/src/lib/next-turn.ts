// A process has one event loop, whose turns these are.
// oxlint-disable-next-line kontor/module-state
let waiting: readonly (() => void)[] = []

/**
 * Lets other work have its turn before more of a large one. Of all that wait for it, one goes on in each turn of the
 * event loop: a request that comes meanwhile waits for one portion of work, however many are at it.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.length === 0) setImmediate(giveTurn)
    waiting = [...waiting, resolve]
  })

function giveTurn(): void {
  const [first, ...others] = waiting
  waiting = others
  if (others.length > 0) setImmediate(giveTurn)
  first?.()
}
