import { attributesOf, users, userSortColumns, type Output, type Role } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { actorId } from '../../../kernel/actor.ts'
import { isoTime, isoTimeOrNull } from '../../../kernel/clock.ts'
import { isId } from '../../../kernel/ids.ts'
import { implement, type WorkspaceReadContext, type WriteContext } from '../../../kernel/implement.ts'
import { shortPage } from '../../../kernel/short-page.ts'
import { requireSameId } from '../../../kernel/preconditions.ts'
import { resource } from '../../../kernel/resource.ts'
import { endMade, listMade, type MadeKind } from './made.ts'
import { requireMayGive } from './rules.ts'
import { findMember, membersIn, type MemberRow } from './store.ts'
import { sortedColumns } from '../../../kernel/requested-order.ts'

/** Changes that go beyond the directory: a member is also a record, has keys, and owns grants. */
export type MemberChanges = {
  readonly changeRole: (ctx: WriteContext<'last_admin'>, member: MemberRow, role: Role) => Promise<void>
  readonly remove: (ctx: WriteContext<'last_admin'>, member: MemberRow) => Promise<void>
}

/** Returns those of some users who have a second factor. */
type ListWithFactor = (tx: ReadTx, userIds: readonly string[]) => Promise<ReadonlySet<string>>

export const userHandlers = (changes: MemberChanges, kinds: readonly MadeKind[], listWithFactor: ListWithFactor) => {
  /** Members as the caller may see them: only admins and the person see whether there is a second factor. */
  const present = async (ctx: UserContext, rows: readonly MemberRow[]): Promise<User[]> => {
    const isShown = ({ id }: MemberRow) => ctx.workspace.role === 'admin' || id === actorId(ctx.actor)
    const shown = rows.filter(isShown).map(({ id }) => id)
    const withFactor = shown.length > 0 ? await listWithFactor(ctx.tx, shown) : new Set()
    return rows.map((row) => presentUser(row, isShown(row) ? withFactor.has(row.id) : null))
  }
  const presentOne = async (ctx: UserContext, row: MemberRow): Promise<User> => defined((await present(ctx, [row]))[0])

  return implement(users, {
    async list(ctx, input) {
      const read = membersIn(ctx.workspace.workspaceId)
      const { rows, ...envelope } = await shortPage(ctx, users.list, input, { ...sorting, read })
      return { body: { data: await present(ctx, rows), ...envelope } }
    },

    get: async (ctx, { id }) => ({ body: { data: await presentOne(ctx, await requireMember(ctx, id)) } }),

    async made(ctx, { id }) {
      if (!isId(id)) throw noMember(ctx)
      const made = await listMade(ctx.tx, kinds, ctx.workspace.workspaceId, id)
      // Of a former member it is shown too, since it goes on working.
      if (Object.values(made).every(({ length }) => length === 0)) await requireMember(ctx, id)
      return { body: { data: resource('user-made', id, made) } }
    },

    async update(ctx, { id, body, end_made }) {
      const member = await requireMember(ctx, id)
      if ('data' in body) requireSameId(ctx, body.data.id, id)
      const role = roleOf(ctx, attributesOf(body), member)
      if (role !== member.role) {
        requireMayGive(ctx, role)
        await changes.changeRole(ctx, member, role)
      }
      if (end_made === true) await endMade(ctx, kinds, id)
      return { body: { data: await presentOne(ctx, { ...member, role }) } }
    },

    async remove(ctx, { id, end_made }) {
      await changes.remove(ctx, await requireMember(ctx, id))
      if (end_made === true) await endMade(ctx, kinds, id)
      return { body: {} }
    },
  })
}

type RoleChange = { readonly role?: Role | undefined; readonly roles?: { readonly items: readonly Role[] } | undefined }

/** Returns the role that a change gives; `roles` may be sent back beside it as it was read. */
function roleOf(ctx: WriteContext, { role, roles }: RoleChange, member: MemberRow): Role {
  const read = roles?.items[0] ?? member.role
  if (role === undefined) return read
  if (read === member.role || read === role) return role
  throw ctx.fail('invalid_body', {
    detail: '`role` and `roles` name two roles: send `role` only.',
    source: { pointer: '/role' },
  })
}

type UserContext = WorkspaceReadContext & { readonly tx: ReadTx }

type User = Output<typeof users.get>['data']

async function requireMember(ctx: UserContext, id: string): Promise<MemberRow> {
  const row = isId(id) ? await findMember(ctx.tx, ctx.workspace.workspaceId, id) : undefined
  if (row === undefined) throw noMember(ctx)
  return row
}

const noMember = (ctx: WorkspaceReadContext) => ctx.fail('not_found', { detail: 'There is no member with this id.' })

const sorting = {
  columns: { ...sortedColumns(userSortColumns, 'u.'), roles: 'm.role' },
  otherwise: { column: 'm.created_at', descending: false },
} as const

/** An account has one name; the last of several words is the last name. */
function nameParts(name: string | null): Output<typeof users.get>['data']['attributes']['name'] {
  const words = name?.trim().split(/\s+/) ?? []
  const last = words.length > 1 ? defined(words.at(-1)) : null
  const first = (last === null ? words : words.slice(0, -1)).join(' ')
  return { first_name: first === '' ? null : first, last_name: last, full_name: name }
}

const presentUser = (
  { id, name, email, role, last_active_at, created_at, unverified_since }: MemberRow,
  hasFactor: boolean | null,
): User =>
  resource('user', id, {
    _id: id,
    name: nameParts(name),
    email,
    email_verified: unverified_since === null,
    second_factor: hasFactor,
    roles: { items: [role] },
    last_active_at: isoTimeOrNull(last_active_at),
    _created_at: isoTime(created_at),
  })
