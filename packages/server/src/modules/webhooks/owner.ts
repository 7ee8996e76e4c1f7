import type { ReadTx } from '../../db/tx.ts'
import { serverContext, type SchemaSets } from '../schemas/index.ts'
import { standingOf } from '../identity/standing/index.ts'
import type { WebhookRow } from './store.ts'

/** What the server reads with for the owner of a webhook. */
export type WebhookContext = ReturnType<typeof serverContext>

/** Why a webhook may not go on. */
type Ended = { readonly ended: 'owner_left' | 'credential_ended' }

/** Returns what the owner of a webhook reads with now, or why they may see nothing any more. */
export async function ownersContext(
  reader: ReadTx,
  schemaSets: SchemaSets,
  { workspace_id, actor }: Pick<WebhookRow, 'workspace_id' | 'actor'>,
  now: number,
): Promise<WebhookContext | Ended> {
  const standing = await standingOf(reader, workspace_id, actor, now)
  if ('ended' in standing) return standing
  const schemas = await schemaSets.readCurrent(reader, workspace_id)
  return serverContext(reader, workspace_id, schemas, { actor, role: standing.role }, now)
}
