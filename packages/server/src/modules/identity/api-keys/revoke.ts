import type { Tx, ReadTx } from '../../../db/tx.ts'
import type { Actor } from '../../../kernel/actor.ts'
import type { Telling } from '../../../kernel/invoke/runtime.ts'
import { deleteKey, deleteKeysOfPerson, listWorkspaceKeysBy, type ApiKeyRow } from './store.ts'
import type { DomainEvent } from '../../../kernel/events.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import type { KeyAuthenticator } from './authenticate.ts'

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

type KeyFacts = Pick<ApiKeyRow, 'id' | 'name' | 'actor_type' | 'user_id'>

/** Whom an event of a key is about. */
export const about = ({ id }: Pick<KeyFacts, 'id'>) => ({ object: 'api-key', recordId: id })

/** Returns the payload of each event of a key: its name and owner, never its secret. */
export const told = ({ name, actor_type, user_id }: KeyFacts) => ({ name, actor_type, user_id })

export const revocationOf = (key: KeyFacts): DomainEvent<'api_key.revoked'> => ({
  type: 'api_key.revoked',
  ...about(key),
  payload: told(key),
})

/** The workspace keys that a member has created; their personal keys end with their membership. */
export const keysMade = (authenticator: KeyAuthenticator) => ({
  name: 'api_keys' as const,
  list: async (tx: ReadTx, workspaceId: string, userId: string) =>
    (await listWorkspaceKeysBy(tx, workspaceId, userId)).map(({ id, name }) => ({ id, name })),
  async end(ctx: WriteContext, userId: string): Promise<void> {
    const keys = await listWorkspaceKeysBy(ctx.tx, ctx.workspace.workspaceId, userId)
    for (const { workspace_id, id } of keys) await deleteKey(ctx.tx, workspace_id, id)
    await ctx.emit(keys.map(revocationOf))
    ctx.afterCommit(() => authenticator.forget())
  },
})
