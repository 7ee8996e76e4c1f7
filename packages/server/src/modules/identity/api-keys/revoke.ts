import type { Tx } from '../../../db/tx.ts'
import type { Actor } from '../../../kernel/actor.ts'
import type { Telling } from '../../../kernel/invoke/runtime.ts'
import { revocationOf } from './events.ts'
import { deleteKey, deleteKeysOfPerson, type ApiKeyRow } from './store.ts'

type Revoked = Pick<ApiKeyRow, 'workspace_id' | 'id' | 'name' | 'actor_type' | 'user_id'>

/** Revokes the personal keys of a person in all workspaces, or one of them. */
export async function revokeKeysOfPerson(tx: Tx, telling: Telling, userId: string, id?: string): Promise<void> {
  const revoked = await deleteKeysOfPerson(tx, userId, id)
  for (const [workspaceId, keys] of Map.groupBy(revoked, ({ workspace_id }) => workspace_id))
    await tell(tx, telling, workspaceId, byPerson(userId), keys)
}

/** Revokes a key for the operator, who is no member of the workspace: it is told as done by the one whose key it is. */
export async function revokeForOperator(tx: Tx, telling: Telling, key: ApiKeyRow): Promise<void> {
  await deleteKey(tx, key.workspace_id, key.id)
  await tell(tx, telling, key.workspace_id, byPerson(key.created_by), [key])
}

const byPerson = (userId: string): Actor => ({ kind: 'user', userId, scopes: [] })

async function tell(
  tx: Tx,
  { changeTimes, writeEvents, clock }: Telling,
  workspaceId: string,
  actor: Actor,
  keys: readonly Revoked[],
): Promise<void> {
  const { now, confirmed } = await changeTimes.begin(tx, workspaceId, clock.now())
  await writeEvents(tx, { workspaceId, actor, silent: false, now }, keys.map(revocationOf))
  await confirmed
}
