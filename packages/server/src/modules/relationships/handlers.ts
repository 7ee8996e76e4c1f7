import { relationships } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import { implement } from '../../kernel/implement.ts'
import { dryRunMeta, requireVisible } from '../records/index.ts'
import { findObject, isToMany, linkEndOf } from '../objects/index.ts'
import { linkedIdSet, listIdSet } from '../query/index.ts'
import type { FieldIndexes } from '../indexes/index.ts'
import { requireRelationship, changeLinks, unlink } from './service.ts'

export const relationshipHandlers = (indexes: FieldIndexes) =>
  implement(relationships, {
    async list(ctx, { workspace, object: name, id, relationship, include, ...question }) {
      const { object } = await requireVisible(ctx, name, id)
      const field = requireRelationship(ctx, object, relationship)
      const { object: target, principal } = await findObject(ctx, defined(field.relationship).entity, 'read')
      return listIdSet(ctx, indexes, {
        ...question,
        workspace,
        object: target.name,
        include: include && belowParent(include, field.name),
        idSet: linkedIdSet({
          workspaceId: ctx.workspace.workspaceId,
          linkEnd: linkEndOf(object, field),
          object: target.key,
          principal,
          of: id,
          isToMany: isToMany(field),
        }),
        path: `${workspace}/objects/${name}/records/${id}/relationships/${field.name}`,
      })
    },

    replace: async (ctx, { body, dry_run, ...at }) => ({
      body: await dryRunMeta(ctx, dry_run, [await changeLinks(ctx, at, 'replace', body.data)]),
    }),

    add: async (ctx, { body, dry_run, ...at }) => ({
      body: await dryRunMeta(ctx, dry_run, [await changeLinks(ctx, at, 'add', body.data)]),
    }),

    remove: async (ctx, { body, dry_run, ...at }) => ({
      body: await dryRunMeta(ctx, dry_run, [await unlink(ctx, at, body.data)]),
    }),
  })

/** Paths come from the record in the URL (spec §4), so they begin with the relationship that is listed. */
const belowParent = (paths: readonly string[], name: string): string[] =>
  paths.flatMap((path) => (path === name ? [] : path.startsWith(`${name}.`) ? [path.slice(name.length + 1)] : [path]))
