/** The pending work in the database. */
export type Backlog = {
  readonly jobs: {
    /** Due, and not started. */
    readonly waiting: number
    /** Due later. */
    readonly scheduled: number
    readonly running: number
    readonly failed: number
    /** The time for which the oldest due job has waited. */
    readonly lagMs: number
  }
  /** By what follows the logs of events: events that it has not read, and how long the oldest of them has waited. */
  readonly consumers: readonly { readonly consumer: string; readonly events: number; readonly lagMs: number }[]
  /** Webhooks that stopped by themselves, by reason. */
  readonly stoppedWebhooks: readonly { readonly reason: string; readonly webhooks: number }[]
  readonly outbox: { readonly waiting: number; readonly lagMs: number }
  /** Nodes of a distributed database that did not answer: nothing of their workspaces is in these figures but jobs. */
  readonly nodesLost: number
  /** Indexes on demand by state, and the records that the builds have not yet covered. */
  readonly indexes: readonly { readonly state: string; readonly indexes: number; readonly recordsLeft: number }[]
}
