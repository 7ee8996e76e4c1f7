import { objectsMax, type NewObject } from '@kontor/contract'
import { invariant } from '../../../lib/guards.ts'
import { Faults } from '../../records/index.ts'
import {
  findHighestVersion,
  holdSchemas,
  storedSchema,
  type SchemaContext,
  type Sent,
  type StoredSchema,
  type WorkspaceSchemas,
} from '../../schemas/index.ts'
import { creationTargets } from '../change/create.ts'
import type { DraftTarget } from '../change/drafts.ts'
import { checkFields, checkTogether } from '../document/check-document.ts'
import { objectName } from '../document/names.ts'
import { newDocument } from '../document/new-document.ts'
import { applyNow, type Services } from '../queue/begin.ts'

/** Creates an object, with the other ends of its relationships. */
export async function createObject(
  services: Services,
  ctx: SchemaContext,
  given: Sent<NewObject>,
): Promise<StoredSchema> {
  const targets = await newTargets(ctx, await holdSchemas(ctx), given)
  await applyNow(services, ctx, targets)
  const [target] = targets
  invariant(target !== undefined, 'an object is the first target of its creation')
  return storedSchema(target.document, target.keys, target.version)
}

async function newTargets(
  ctx: SchemaContext,
  schemas: WorkspaceSchemas,
  { value, path }: Sent<NewObject>,
): Promise<DraftTarget[]> {
  const faults = new Faults()
  const slug = objectName(value.name)
  if (slug === '')
    faults.add([...path, 'name'], 'Must contain a letter from a to z or a digit, for the name of the object.')
  if (schemas.has(slug)) faults.add([...path, 'name'], `An object "${slug}" already exists.`)
  if (schemas.size >= objectsMax) faults.add(path, `A workspace can have at most ${objectsMax} objects.`)
  const at = [...path, 'properties']
  const properties = checkFields(value.properties ?? {}, at, faults)
  faults.throwIfAny()
  const document = newDocument(slug, value, properties)
  checkTogether(document, { properties: at, required: at }, faults)
  faults.throwIfAny()
  const targets = creationTargets(
    schemas,
    document,
    await findHighestVersion(ctx.tx, ctx.workspace.workspaceId, slug),
    at,
    faults,
  )
  faults.throwIfAny()
  return targets
}
