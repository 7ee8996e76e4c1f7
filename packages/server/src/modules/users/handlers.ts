import { users, type Output } from '@kontor/contract'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import { isId } from '../../kernel/ids.ts'
import { implement } from '../../kernel/implement.ts'
import { offsetEnvelope } from '../../kernel/page-links.ts'
import { countMembers, findMember, listMembers, type MemberRow } from './store.ts'

export const userHandlers = implement(users, {
  async list(ctx, { workspace, page }) {
    const [rows, total] = await Promise.all([
      listMembers(ctx.tx, ctx.workspace.workspaceId, page.offset, page.limit),
      countMembers(ctx.tx, ctx.workspace.workspaceId),
    ])
    return { body: { data: rows.map(presentUser), ...offsetEnvelope(`${ctx.baseUrl}/workspaces/${workspace}/users`, page, total) } }
  },

  async get(ctx, { id }) {
    const row = isId(id) ? await findMember(ctx.tx, ctx.workspace.workspaceId, id) : undefined
    if (row === undefined) throw ctx.fail('not_found', { detail: 'There is no member with this id.' })
    return { body: { data: presentUser(row) } }
  },
})

const presentUser = ({ id, name, email, role, last_active_at, created_at }: MemberRow): Output<typeof users.get>['data'] => ({
  type: 'user',
  id,
  attributes: { _id: id, name, email, roles: { items: [role] }, last_active_at: isoTimeOrNull(last_active_at), _created_at: isoTime(created_at) },
})
