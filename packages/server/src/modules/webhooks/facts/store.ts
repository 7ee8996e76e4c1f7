import type { Database } from '../../../db/tx.ts'
import type { DisabledReason } from '../store.ts'

/** A webhook that stopped by itself, for the operator. */
export type StoppedWebhook = {
  /** Slug of the workspace. */
  readonly workspace: string
  readonly id: string
  readonly reason: Exclude<DisabledReason, 'requested'>
  readonly disabled_at: number
}

/** The webhooks of all workspaces that stopped without a request to, the latest first. */
export const listStopped = ({ reader }: Pick<Database, 'reader'>, rowsMax: number): Promise<StoppedWebhook[]> =>
  reader.query(({ knex }) =>
    knex('webhook as h')
      .join('workspace as w', 'w.id', 'h.workspace_id')
      .select('w.slug as workspace', 'h.id', 'h.disabled_reason as reason', 'h.disabled_at')
      .where('h.enabled', false)
      .whereNot('h.disabled_reason', 'requested')
      .orderBy('h.disabled_at', 'desc')
      .limit(rowsMax),
  )

type StoppedCount = Pick<StoppedWebhook, 'reason'> & { readonly webhooks: number }

/** Counts them by reason. */
export const countStopped = ({ reader }: Pick<Database, 'reader'>): Promise<StoppedCount[]> =>
  reader.query(({ knex }) =>
    knex('webhook')
      .select('disabled_reason as reason')
      .count('* as webhooks')
      .where('enabled', false)
      .whereNot('disabled_reason', 'requested')
      .groupBy('disabled_reason'),
  )
