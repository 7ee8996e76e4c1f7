import { z } from 'zod'
import type { Tx } from '../../../db/tx.ts'
import { enqueue } from '../../../engine/store.ts'
import type { JobType } from '../../../engine/types.ts'
import type { DomainEvent } from '../../../kernel/events.ts'

/** Stops, in one workspace, what was made with credentials that have ended. */
export const endingsJobType = {
  name: 'credentials.ended',
  payload: z.object({}),
} satisfies JobType<unknown>

/** Returns whether somebody or some key may do less in a workspace after an event, or nothing any more. */
const isEnding = ({ type, payload }: DomainEvent): boolean =>
  type === 'api_key.revoked' || type === 'member.removed' || (type === 'member.updated' && 'previous_role' in payload)

/** The key of the job that runs as soon as a credential has ended. */
const atOnce = 'now'

/** Has workspaces checked for what was made with a credential that has just ended. */
export async function checkEndings(tx: Tx, workspaceIds: readonly string[], now: number): Promise<void> {
  // In one order, so that two transactions do not wait for each other.
  for (const workspaceId of workspaceIds.toSorted())
    await enqueue(tx, { workspaceId, kind: endingsJobType, payload: {}, now, key: atOnce })
}

/** The same where an event says that a credential has ended, in the transaction that ends it. */
export async function followEndings(
  tx: Tx,
  { workspaceId, now }: { readonly workspaceId: string; readonly now: number },
  events: readonly DomainEvent[],
): Promise<void> {
  if (events.some(isEnding)) await checkEndings(tx, [workspaceId], now)
}

type ExpiringKey = {
  readonly workspace_id: string
  readonly id: string
  readonly expires_at: number | null
}

/** Has a workspace checked when a key expires, in the transaction that creates the key. */
export async function expectExpiry(
  tx: Tx,
  { workspace_id: workspaceId, id: key, expires_at: runAt }: ExpiringKey,
  now: number,
): Promise<void> {
  if (runAt !== null) await enqueue(tx, { workspaceId, kind: endingsJobType, payload: {}, now, runAt, key })
}
