/** An engine of durable workflows in this process: each of its runs stores three steps that do nothing. */
export type Peer = {
  /** Starts so many runs, and resolves when the last of them is stored as ended. */
  readonly runAll: (count: number) => Promise<void>
  /** Milliseconds of one run, from its start until it is stored as ended. */
  readonly runOne: () => Promise<number>
  readonly close: () => Promise<void>
}

export const steps = ['one', 'two', 'three'] as const

/** So many starts are under way at a time. */
const startsAtOnce = 50

export async function startMany(count: number, start: () => Promise<unknown>): Promise<void> {
  let left = count
  const startNext = async (): Promise<void> => {
    while (left-- > 0) await start()
  }
  await Promise.all(Array.from({ length: startsAtOnce }, startNext))
}
