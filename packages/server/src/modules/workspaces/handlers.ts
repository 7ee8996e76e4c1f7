import { workspaces, type Output } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import { actorUserId, mayEnter } from '../../kernel/actor.ts'
import { isoTime } from '../../kernel/clock.ts'
import { implement } from '../../kernel/implement.ts'
import { resource } from '../../kernel/resource.ts'
import { listWorkspacesOfUser, lockWorkspace, updateWorkspace, type WorkspaceRow } from './store.ts'

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
    const { name } = body.data.attributes
    const before = defined(await lockWorkspace(ctx.tx, workspace))
    if (name !== before.name) {
      await updateWorkspace(ctx.tx, { id: before.id, name })
      const payload = { name, previous_name: before.name }
      await ctx.emit([{ type: 'workspace.updated', object: 'workspace', recordId: before.id, payload }])
    }
    return { body: { data: presentWorkspace({ ...before, name }) } }
  },
})

type WorkspaceResource = Output<typeof workspaces.update>['data']

const presentWorkspace = ({ id, slug, name, organization_id, created_at }: WorkspaceRow): WorkspaceResource =>
  resource('workspace', id, { slug, name, organization_id, created_at: isoTime(created_at) })
