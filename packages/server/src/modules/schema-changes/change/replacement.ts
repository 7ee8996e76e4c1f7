import { Failure } from '../../../kernel/errors.ts'
import { pointer } from '../../../lib/pointers.ts'
import { Faults } from '../../records/index.ts'
import type { SchemaDocument, SchemaKeys, Sent, StoredSchema, WorkspaceSchemas } from '../../schemas/index.ts'
import { checkFields, checkTogether } from '../document/check-document.ts'
import type { DraftTarget } from './drafts.ts'
import { Conflict } from './merge.ts'
import { rebased, type WantedDocument } from './rebase.ts'
import { replacementTargets } from './replace.ts'

/** Another document for an object, checked by itself, and the version that it was written for. */
export type ReplaceRequest = {
  readonly kind: 'replace'
  readonly object: string
  readonly document: SchemaDocument
  /** New names of fields with their former ones. */
  readonly renames: readonly (readonly [name: string, former: string])[]
  readonly base: { readonly version: number; readonly document: SchemaDocument; readonly keys: SchemaKeys }
  readonly path: Sent<unknown>['path']
}

/** The targets of giving an object its document, or what it comes to on another version than it was written for. */
export function planReplacement(
  schemas: WorkspaceSchemas,
  before: StoredSchema,
  request: ReplaceRequest,
): DraftTarget[] {
  const { path } = request
  const faults = new Faults()
  const { document, renames } = wantedOf(before, request, faults)
  faults.throwIfAny()
  checkTogether(document, { properties: [...path, 'properties'], required: [...path, 'required'] }, faults)
  faults.throwIfAny()
  const targets = replacementTargets(schemas, before, { document, renames, path }, faults)
  faults.throwIfAny()
  return targets
}

function wantedOf(
  before: StoredSchema,
  { document, renames, base, path }: ReplaceRequest,
  faults: Faults,
): WantedDocument {
  const wanted = { document, renames: new Map(renames) }
  if (before.version === base.version) return wanted
  try {
    const { document: own, renames: names } = rebased(base, wanted, before)
    // Two keywords that are right with what was there may not be with one another.
    const properties = checkFields(own.properties, [...path, 'properties'], faults)
    return { document: { ...own, properties }, renames: names }
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
    throw new Failure(
      {
        code: 'schema_modification_in_progress',
        detail:
          `An earlier change of this object also changes ${error.path.join('.')}: wait for that change, then send ` +
          `the document again.`,
        source: { pointer: pointer([...path, ...error.path]) },
      },
      { retryAfterSeconds: 1 },
    )
  }
}
