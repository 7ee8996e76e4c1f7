import { suggestion } from '@kontor/contract'
import { failure } from '../../../kernel/errors.ts'
import { Faults } from '../../records/index.ts'
import type { SchemaDocument, WorkspaceSchemas, StoredSchema } from '../../schemas/index.ts'
import type { DraftTarget } from './drafts.ts'
import { deletionTargets, replacementTargets } from './replace.ts'
import { additionTargets, relationshipTargets, type SentEnds, type SentFields } from './additions.ts'
import { planReplacement, type ReplaceRequest } from './replacement.ts'

/**
 * A change that can be planned again after other changes of the object: it states what it adds or removes, or the
 * document that it was written for. This is the form in which it waits in the queue.
 */
export type ChangeRequest =
  | ReplaceRequest
  | { readonly kind: 'addProperties'; readonly object: string; readonly given: SentFields }
  | { readonly kind: 'addRelationship'; readonly object: string; readonly given: SentEnds }
  | { readonly kind: 'removeRelationship'; readonly object: string; readonly field: string }
  | { readonly kind: 'removeObject'; readonly object: string }

/** The targets of a change for these schemas; throws its faults. */
export function planRequest(schemas: WorkspaceSchemas, request: ChangeRequest): DraftTarget[] {
  const schema = requireObject(schemas, request.object)
  if (request.kind === 'replace') return planReplacement(schemas, schema, request)
  if (request.kind === 'addRelationship') return relationshipTargets(schemas, request.object, request.given)
  if (request.kind === 'removeRelationship') return withoutRelationship(schemas, request.object, request.field)
  if (request.kind === 'addProperties') {
    const faults = new Faults()
    const targets = additionTargets(schemas, schema, request.given.value, request.given.path, faults)
    faults.throwIfAny()
    return targets
  }
  if (!request.object.startsWith('c_'))
    throw failure('forbidden', `${request.object} is built in and cannot be deleted.`)
  return deletionTargets(schemas, schema)
}

function withoutRelationship(schemas: WorkspaceSchemas, name: string, field: string): DraftTarget[] {
  const schema = requireObject(schemas, name)
  const to = Object.hasOwn(schema.properties, field) ? schema.properties[field]?.xSvcRelationship : undefined
  const names = Object.keys(schema.properties).filter((one) => schema.properties[one]?.xSvcRelationship !== undefined)
  if (to === undefined)
    throw failure('not_found', `${name} has no relationship "${field.slice(0, 64)}".${suggestion(field, names)}`, {
      meta: { allowed: names },
    })
  const gone = new Set(to.entity === name ? [field, to.field] : [field])
  const faults = new Faults()
  const document: SchemaDocument = {
    ...schema.document,
    properties: Object.fromEntries(Object.entries(schema.document.properties).filter(([one]) => !gone.has(one))),
  }
  const targets = replacementTargets(schemas, schema, { document, renames: new Map(), path: [] }, faults)
  if (faults.isAny) throw failure('forbidden', `"${field}" is a system field and cannot be removed.`)
  return targets
}

/** The schema of an object; 404 with the nearest name if there is none. */
export function requireObject(schemas: WorkspaceSchemas, name: string): StoredSchema {
  const schema = schemas.get(name)
  if (schema === undefined)
    throw failure(
      'not_found',
      `There is no object "${name.slice(0, 64)}" in this workspace.${suggestion(name, [...schemas.keys()])}`,
    )
  return schema
}
