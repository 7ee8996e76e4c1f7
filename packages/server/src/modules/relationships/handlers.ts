import { relationships } from '@kontor/contract'
import { implement } from '../../kernel/implement.ts'
import { askerOf } from '../access/index.ts'
import { dryRunMeta, linkOf, listRelatedRecords, requireVisible, type FieldIndexes } from '../records/index.ts'
import { workspaceSchemas } from '../schemas/index.ts'
import { requireRelationship } from './relationship.ts'
import { changeLinks, unlink } from './service.ts'

export const relationshipHandlers = (indexes: FieldIndexes) =>
  implement(relationships, {
    async list(ctx, { workspace, object: name, id, relationship, include, ...question }) {
      const { object } = await requireVisible(ctx, name, id)
      const field = requireRelationship(ctx, object, relationship)
      const entity = field.relationship?.entity as string
      const schema = (await workspaceSchemas(ctx.tx, ctx.workspace)).get(entity)
      const asker = askerOf(ctx.actor, ctx.workspace, schema?.xSvcAccess.default ?? 'none')
      return listRelatedRecords(ctx, indexes, {
        ...question,
        workspace,
        object: entity,
        include: include && belowParent(include, field.name),
        links: { workspaceId: ctx.workspace.workspaceId, place: linkOf(object, field), entity, asker, of: id },
        path: `${workspace}/objects/${name}/records/${id}/relationships/${field.name}`,
      })
    },

    replace: async (ctx, { body, dry_run, ...at }) => ({ body: dryRunMeta(dry_run, [await changeLinks(ctx, at, 'replace', body.data)]) }),

    add: async (ctx, { body, dry_run, ...at }) => ({ body: dryRunMeta(dry_run, [await changeLinks(ctx, at, 'add', body.data)]) }),

    remove: async (ctx, { body, dry_run, ...at }) => ({ body: dryRunMeta(dry_run, [await unlink(ctx, at, body.data)]) }),
  })

/** Paths come from the record in the URL (spec §4), so they begin with the relationship that is listed. */
const belowParent = (paths: readonly string[], name: string): string[] =>
  paths.flatMap((path) => (path === name ? [] : path.startsWith(`${name}.`) ? [path.slice(name.length + 1)] : [path]))
