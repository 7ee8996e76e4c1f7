import type { ReadTx } from '../../../db/tx.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import type { KeyAuthenticator } from './authenticate.ts'
import { revocationOf } from './revoke.ts'
import { deleteKey, listWorkspaceKeysBy } from './store.ts'

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
