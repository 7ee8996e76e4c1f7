import type { FaultSink } from '../../records/index.ts'
import type { SchemaDocument, WorkspaceSchemas } from '../../schemas/index.ts'
import { Drafts, type DraftTarget } from './drafts.ts'
import { connect } from './relationships.ts'

type Path = readonly (string | number)[]

/**
 * The targets of creating an object: the object, and those that its relationships lead to. `highest` is the last
 * version of an earlier object of its name.
 */
export function creationTargets(
  schemas: WorkspaceSchemas,
  document: SchemaDocument,
  highest: number,
  propertiesAt: Path,
  faults: FaultSink,
): DraftTarget[] {
  const drafts = new Drafts(schemas)
  const version = highest + 1
  const names = Object.keys(document.properties)
  drafts.begin(document, {
    version,
    object: highest === 0 ? document.title : `${document.title}~${version}`,
    fields: Object.fromEntries(names.map((name) => [name, { key: name }])),
  })
  for (const [field, { xSvcRelationship: to }] of Object.entries(document.properties)) {
    if (to !== undefined)
      connect(drafts, schemas, { object: document.title, field, to, path: [...propertiesAt, field] }, faults)
  }
  return drafts.targets()
}
