import { workspaces, type Output } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import { actorUserId, mayEnter } from '../../kernel/actor.ts'
import { isoTime } from '../../kernel/clock.ts'
import { implement } from '../../kernel/implement.ts'
import { resource } from '../../kernel/resource.ts'
import { findWorkspace, listWorkspacesOfUser, updateWorkspaceName, type WorkspaceRow } from './store.ts'

export const workspaceHandlers = implement(workspaces, {
  async list(ctx) {
    const rows = (await listWorkspacesOfUser(ctx.tx, actorUserId(ctx.actor) ?? '')).filter(({ id }) =>
      mayEnter(ctx.actor, id),
    )
    return {
      body: {
        data: rows.map(presentWorkspace),
        meta: { total_records: rows.length, total_pages: Math.min(rows.length, 1), offset: 0, limit: rows.length },
        links: { next: null, prev: null },
      },
    }
  },

  async update(ctx, { workspace, body }) {
    if (body.data.id !== undefined && body.data.id !== ctx.workspace.workspaceId) {
      throw ctx.fail('invalid_body', {
        detail: 'Must be the id of the workspace in the path.',
        source: { pointer: '/data/id' },
      })
    }
    await updateWorkspaceName(ctx.tx, ctx.workspace.workspaceId, body.data.attributes.name)
    return { body: { data: presentWorkspace(defined(await findWorkspace(ctx.tx, workspace))) } }
  },
})

type WorkspaceResource = Output<typeof workspaces.update>['data']

const presentWorkspace = ({ id, slug, name, organization_id, created_at }: WorkspaceRow): WorkspaceResource =>
  resource('workspace', id, { slug, name, organization_id, created_at: isoTime(created_at) })
