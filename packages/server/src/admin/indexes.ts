import { suggestionOrAllowed } from '@kontor/contract'
import type { Database } from '../db/tx.ts'
import type { Clock } from '../kernel/clock.ts'
import { buildInAdvance } from '../modules/indexes/index.ts'
import { compileObject } from '../modules/objects/index.ts'
import { lockSchemas } from '../modules/schemas/index.ts'
import { AdminError } from './error.ts'
import { requireWorkspace } from './people.ts'

/** Indexes of fields to be built. */
export type IndexRequest = {
  readonly workspace: string
  /** The name of the object. */
  readonly object: string
  readonly fields: readonly string[]
  /** For filters by a part of a text, instead of filters by values and for sorting. */
  readonly forParts: boolean
}

export type RequestedIndex = { readonly object: string; readonly field: string; readonly kind: string }

/** Has indexes built before a list asks for them; returns those that are new. */
export async function buildIndexes(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  { workspace, object, fields, forParts }: IndexRequest,
): Promise<readonly RequestedIndex[]> {
  return database.write(async (tx) => {
    const { id } = await requireWorkspace(tx, workspace)
    // Held, so that no field goes meanwhile whose index would stay.
    const { schemas } = await lockSchemas(tx, id)
    const schema = schemas.get(object)
    if (schema === undefined)
      throw new AdminError(
        `There is no object "${object}".${suggestionOrAllowed(object, [...schemas.keys()].toSorted())}`,
      )
    const added = await buildInAdvance(tx, id, compileObject(schema), { names: fields, forParts }, clock.now())
    if ('fault' in added) throw new AdminError(added.fault)
    return added
  })
}
