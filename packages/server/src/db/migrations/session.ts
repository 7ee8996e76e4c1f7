/** The migrations that a database has, in order. */
export type Applied = readonly { readonly number: number; readonly name: string; readonly applied_at: number }[]

/** One migration in one direction. */
export type MigrationStep = {
  readonly statements: readonly string[]
  readonly number: number
  readonly name: string
  readonly direction: 'up' | 'down'
}

/** Returns the next step, given the applied migrations; undefined when nothing is left. May throw to refuse. */
export type Plan = (applied: Applied) => MigrationStep | undefined

/** The operations that a database provides for migrations. */
export type MigrationSession = {
  readonly applied: () => Promise<Applied>
  /** Runs one step of the plan in a transaction under the lock, all or nothing; false when nothing was left to do. */
  readonly step: (plan: Plan, onWait: () => void) => Promise<boolean>
}
