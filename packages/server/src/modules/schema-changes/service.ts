import { objectsMax, type NewObject } from '@kontor/contract'
import { actorId } from '../../kernel/actor.ts'
import type { WriteContext } from '../../kernel/implement.ts'
import { invariant } from '../../kernel/invariant.ts'
import { Faults } from '../records/index.ts'
import { findHighestVersion, lockSchemas, storedSchema, type SchemaChanges, type Sent, type StoredSchema, type WorkspaceSchemas } from '../schemas/index.ts'
import { creationTargets } from './change/create.ts'
import type { Target } from './change/drafts.ts'
import { checkFields, checkTogether } from './document/check-document.ts'
import { objectName } from './document/names.ts'
import { newDocument } from './document/new-document.ts'
import { putInForce } from './put-in-force.ts'

type Services = { readonly memberships: { readonly forget: () => void } }

/** What may be done to the schemas of a workspace. */
export function schemaChanges({ memberships }: Services): SchemaChanges {
  const apply = async (ctx: WriteContext, targets: readonly Target[]): Promise<void> => {
    const { tx, workspace, now, emit } = ctx
    await putInForce(tx, { workspaceId: workspace.workspaceId, userId: actorId(ctx.actor), now, emit }, targets)
    ctx.afterCommit(() => memberships.forget())
  }
  return {
    async create(ctx, given) {
      const { schemas } = await lockedFor(ctx)
      const targets = await newTargets(ctx, schemas, given)
      await apply(ctx, targets)
      return schemaOf(targets[0])
    },
  }
}

/** The schemas as they are, for a change of them: nobody else changes them before the transaction ends. */
async function lockedFor(ctx: WriteContext): Promise<{ readonly schemas: WorkspaceSchemas }> {
  const locked = await lockSchemas(ctx.tx, ctx.workspace.workspaceId)
  ctx.holdsSchemas()
  return locked
}

async function newTargets(ctx: WriteContext, schemas: WorkspaceSchemas, { value, path }: Sent<NewObject>): Promise<Target[]> {
  const faults = new Faults()
  const slug = objectName(value.name)
  if (slug === '') faults.add([...path, 'name'], 'Must have a letter from a to z or a digit, of which the name of the object is made.')
  if (schemas.has(slug)) faults.add([...path, 'name'], `There is an object "${slug}" already.`)
  if (schemas.size >= objectsMax) faults.add(path, `A workspace has at most ${objectsMax} objects.`)
  const at = [...path, 'properties']
  checkFields(value.properties ?? {}, at, faults)
  faults.throwIfAny()
  const document = newDocument(slug, value, value.properties ?? {})
  checkTogether(document, { properties: at, required: at }, faults)
  faults.throwIfAny()
  const targets = creationTargets(schemas, document, await findHighestVersion(ctx.tx, ctx.workspace.workspaceId, slug), at, faults)
  faults.throwIfAny()
  return targets
}

function schemaOf(target: Target | undefined): StoredSchema {
  invariant(target !== undefined, 'a change without a target')
  return storedSchema(target.document, target.keys, target.version)
}
