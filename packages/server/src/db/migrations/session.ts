/** A migration that a database has; processes that do not know a rolling one may work beside it (0401). */
type AppliedMigration = {
  readonly number: number
  readonly name: string
  readonly applied_at: number
  readonly rolling: boolean
}

/** The migrations that a database has, in order. */
export type Applied = readonly AppliedMigration[]

/** A row of the history; databases from before 0156 have no `rolling`. */
type HistoryRow = Omit<AppliedMigration, 'rolling'> & { readonly rolling?: unknown }

/** Reads rows of either database. */
export const appliedFrom = (rows: readonly HistoryRow[]): Applied =>
  rows.map(({ number, name, applied_at, rolling }) => ({ number, name, applied_at, rolling: Boolean(rolling) }))

/** One migration in one direction. */
export type MigrationStep = {
  readonly statements: readonly string[]
  readonly number: number
  readonly name: string
  readonly direction: 'up' | 'down'
  readonly rolling: boolean
  /** Returns whether a process that knows so many migrations keeps the step, or a later one, from running. */
  readonly isHeldBy: (known: number) => boolean
}

/** Returns the next step, given the applied migrations; undefined when nothing is left. May throw to refuse. */
export type Plan = (applied: Applied) => MigrationStep | undefined

/** The operations that a database provides for migrations. */
export type MigrationSession = {
  readonly applied: () => Promise<Applied>
  /** Runs one step of the plan in a transaction under the lock, all or nothing; false when nothing was left to do. */
  readonly step: (plan: Plan, onWait: () => void) => Promise<boolean>
}
