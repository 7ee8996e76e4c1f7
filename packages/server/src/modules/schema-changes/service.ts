import type { Cancel } from '../async-tasks/index.ts'
import { holdSchemas, type SchemaChanges } from '../schemas/index.ts'
import { add, begin } from './queue/accept.ts'
import type { Services } from './queue/begin.ts'
import { createObject } from './requests/create.ts'
import { updateOptions } from './requests/options.ts'
import { planChange, type BrokenBy } from './requests/plan.ts'
import { reorderFields, showFields } from './requests/presentation.ts'
import { replaceObject } from './requests/replace.ts'
import { withdraw } from './steps/withdraw.ts'

/** The operations on the schemas of a workspace. */
export const schemaChanges = (services: Services & BrokenBy): SchemaChanges => ({
  create: (ctx, given) => createObject(services, ctx, given),
  replace: replaceObject,
  remove: (ctx, object) => begin(ctx, { kind: 'removeObject', object }),
  plan: (ctx, object, given) => planChange(services, ctx, object, given),
  addProperties: (ctx, object, given) => add(services, ctx, { kind: 'addProperties', object, given }),
  addRelationship: (ctx, object, given) => add(services, ctx, { kind: 'addRelationship', object, given }),
  removeRelationship: (ctx, object, field) => begin(ctx, { kind: 'removeRelationship', object, field }),
  updateOptions: (ctx, given) => updateOptions(services, ctx, given),
  reorder: (ctx, object, given) => reorderFields(services, ctx, object, given),
  show: (ctx, object, given) => showFields(services, ctx, object, given),
})

/** Cancels the task of a change, as long as the change is not in force. */
export const cancelSchemaChange =
  ({ memberships }: Pick<Services, 'memberships'>): Cancel =>
  async (ctx, { id }) => {
    const change = { workspaceId: ctx.workspace.workspaceId, schemas: await holdSchemas(ctx), taskId: id }
    const withdrawn = await withdraw(ctx.tx, change, { code: 'cancelled' }, ctx.now)
    if (withdrawn) ctx.afterCommit(() => memberships.forget())
    return withdrawn
  }
