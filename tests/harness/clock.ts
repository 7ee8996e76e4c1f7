/** The clock of this machine, for tests that set another one by it. */
export const machineClock = { now: (): number => Date.now(), monotonicMs: (): number => performance.now() }
