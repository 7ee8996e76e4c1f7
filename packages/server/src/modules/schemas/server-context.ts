import type { ErrorCode, Role } from '@kontor/contract'
import type { ReadTx } from '../../db/tx.ts'
import type { Actor } from '../../kernel/actor.ts'
import { Failure } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { PinnedSchemas } from '../../kernel/invoke/schema-check.ts'
import type { SchemaSet } from './service.ts'

/** Whose rights the server reads with outside a call. */
type ServerActor = { readonly actor: Actor; readonly role: Role }

/** The context of a read that no caller has asked for, by given schemas. */
export const serverContext = (
  tx: ReadTx,
  workspaceId: string,
  schemas: SchemaSet,
  { actor, role }: ServerActor,
  now: number,
): WorkspaceReadContext<ErrorCode> => ({
  tx,
  actor,
  now,
  requestId: '',
  newId: () => newId(now),
  fail: (code, fault) => new Failure({ code, ...fault }),
  baseUrl: '',
  given: {},
  takesChunks: false,
  workspace: { workspaceId, slug: '', role, schemaEpoch: schemas.epoch },
  schemas: PinnedSchemas.of(schemas),
  watermark: async () => now,
})
