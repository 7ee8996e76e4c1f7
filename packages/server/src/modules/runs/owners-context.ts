import type { Role, WorkflowStop } from '@kontor/contract'
import type { ReadTx } from '../../db/tx.ts'
import type { WorkspaceNow } from '../../kernel/clock.ts'
import { standingOf } from '../identity/standing/index.ts'
import { serverContext, type SchemaSet } from '../schemas/index.ts'
import { actorOf, type Owner } from '../definitions/index.ts'

/** The context in which the server reads for the owner of a workflow. */
export type OwnersContext = ReturnType<typeof serverContext>

/** The role of an owner now, or why a workflow may no longer run as them. */
export async function ownersStanding(
  tx: ReadTx,
  { workspaceId, now }: WorkspaceNow,
  owner: Owner,
): Promise<{ readonly role: Role } | { readonly stopped: WorkflowStop }> {
  const standing = await standingOf(tx, workspaceId, actorOf(owner, workspaceId, undefined), now)
  if ('ended' in standing) return { stopped: standing.ended }
  return isDemoted(owner, standing.role) ? { stopped: 'owner_demoted' } : standing
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, member: 1, admin: 2 }

/** Returns whether an owner has a lower role than when they said what the workflow does; no viewer says that. */
const isDemoted = ({ kind, role: before = 'member' }: Owner, now: Role): boolean =>
  kind === 'user' && ranks[now] < ranks[before]

/** The context of an owner's reads. */
export const ownersContext = (
  tx: ReadTx,
  { workspaceId, now }: WorkspaceNow,
  schemas: SchemaSet,
  owner: Owner,
  role: Role,
): OwnersContext =>
  serverContext(tx, workspaceId, schemas, { actor: actorOf(owner, workspaceId, undefined), role }, now)
