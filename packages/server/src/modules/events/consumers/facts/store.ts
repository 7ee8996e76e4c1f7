import type { Database } from '../../../../db/tx.ts'

/** The lag of a consumer of events, in all workspaces together. */
export type ConsumerFacts = {
  readonly consumer: string
  /** Events that it has not read. */
  readonly events: number
  /** The time for which the oldest of them has waited. */
  readonly lagMs: number
}

type Found = { readonly consumer: string; readonly events: number; readonly oldest: number | null }

/** Returns the lags of the consumers that follow logs by cursors. */
export async function cursorLags({ reader }: Pick<Database, 'reader'>, now: number): Promise<ConsumerFacts[]> {
  const found = await reader.query<Found>(
    (sql) =>
      sql`select position.consumer, sum(h.last_sequence - position.sequence) as events, min(e.created_at) as oldest
        from event_cursor as position join event_head as h on h.workspace_id = position.workspace_id
          left join event as e on e.workspace_id = position.workspace_id and e.sequence = position.sequence + 1
        group by position.consumer order by position.consumer`,
  )
  return found.map(({ consumer, events, oldest }) => ({ consumer, events, lagMs: Math.max(0, now - (oldest ?? now)) }))
}
