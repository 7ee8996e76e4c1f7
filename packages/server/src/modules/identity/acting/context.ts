import type { Role } from '@kontor/contract'
import type { ReadTx } from '../../../db/tx.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import { serverContext, type SchemaSet } from '../../schemas/index.ts'
import { standingOf, type Acting, type Stopped } from './standing.ts'

/** The context in which the server reads for somebody. */
export type ActingContext = ReturnType<typeof serverContext>

/** Returns the context in which the server reads for somebody, in a role that they are known to have. */
export const contextAs = (
  tx: ReadTx,
  { workspaceId, now }: WorkspaceNow,
  schemas: SchemaSet,
  actor: Acting,
  role: Role,
): ActingContext => serverContext(tx, workspaceId, schemas, { actor, role }, now)

/** Returns the context in which the server reads for somebody now, or why they may see nothing any more. */
export async function contextOf(
  tx: ReadTx,
  at: WorkspaceNow,
  readSchemas: () => Promise<SchemaSet>,
  acting: Acting,
): Promise<ActingContext | Stopped> {
  const [standing, schemas] = await Promise.all([standingOf(tx, at, acting), readSchemas()])
  return 'stopped' in standing ? standing : contextAs(tx, at, schemas, acting, standing.role)
}
