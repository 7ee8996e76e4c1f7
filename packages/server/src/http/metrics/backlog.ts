/** The pending work in the database. */
export type Backlog = {
  readonly jobs: {
    /** Due, and not started. */
    readonly waiting: number
    /** Due later. */
    readonly scheduled: number
    readonly running: number
    readonly failed: number
    /** How long the oldest due job has waited. */
    readonly lagMs: number
  }
  readonly outbox: { readonly waiting: number; readonly lagMs: number }
  /** Indexes on demand by state, and the records that the builds have not yet covered. */
  readonly indexes: readonly { readonly state: string; readonly indexes: number; readonly recordsLeft: number }[]
}
