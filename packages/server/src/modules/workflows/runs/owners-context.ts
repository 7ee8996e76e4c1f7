import type { Role, WorkflowStop } from '@kontor/contract'
import type { ReadTx } from '../../../db/tx.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import { standingOf } from '../../identity/standing/index.ts'
import { serverContext, type SchemaSet } from '../../schemas/index.ts'
import { actorOf, type Owner } from '../definition/owner.ts'

/** What the server reads with for the owner of a workflow. */
export type OwnersContext = ReturnType<typeof serverContext>

/** The role of an owner now, or why a workflow may no longer run as them. */
export async function ownersStanding(
  tx: ReadTx,
  { workspaceId, now }: WorkspaceNow,
  owner: Owner,
): Promise<{ readonly role: Role } | { readonly stopped: WorkflowStop }> {
  const standing = await standingOf(tx, workspaceId, actorOf(owner, workspaceId, undefined), now)
  return 'ended' in standing ? { stopped: standing.ended } : standing
}

/** The context of an owner's reads. */
export const ownersContext = (
  tx: ReadTx,
  { workspaceId, now }: WorkspaceNow,
  schemas: SchemaSet,
  owner: Owner,
  role: Role,
): OwnersContext =>
  serverContext(tx, workspaceId, schemas, { actor: actorOf(owner, workspaceId, undefined), role }, now)
