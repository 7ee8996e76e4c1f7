import type { WriteContext } from '../../../kernel/implement.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { deleteClient, listClientsBy } from '../oauth/index.ts'
import { eventOf } from './present.ts'

/** The apps that a member has registered for a workspace; `onAccessEnded` is called once their tokens have ended. */
export const appsMade = (onAccessEnded: () => void) => ({
  name: 'apps' as const,
  list: async (tx: ReadTx, workspaceId: string, userId: string) =>
    (await listClientsBy(tx, workspaceId, userId)).map(({ id, name }) => ({ id, name })),
  async end(ctx: WriteContext, userId: string): Promise<void> {
    const apps = await listClientsBy(ctx.tx, ctx.workspace.workspaceId, userId)
    for (const { id } of apps) await deleteClient(ctx.tx, id, ctx.clockNow)
    await ctx.emit(apps.map((app) => eventOf('app.deleted', app)))
    ctx.afterCommit(onAccessEnded)
  },
})
