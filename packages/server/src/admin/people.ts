import type { Role } from '@kontor/contract'
import { AdminError } from './error.ts'
import type { Database, ReadTx } from '../db/tx.ts'
import { isoTime, isoTimeOrNull } from '../kernel/clock.ts'
import type { Telling } from '../kernel/invoke/runtime.ts'
import { isId } from '../kernel/ids.ts'
import { findKey, listKeysOfWorkspace, revokeForOperator } from '../modules/identity/api-keys/index.ts'
import { membersIn } from '../modules/identity/users/index.ts'
import { findWorkspace, listWorkspaces, type WorkspaceRow } from '../modules/workspaces/index.ts'

export type ListedWorkspace = {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly members: number
  readonly created_at: string
}
export type ListedUser = {
  readonly id: string
  readonly email: string
  readonly name: string | null
  readonly role: Role
  readonly last_active_at: string | null
}
export type ListedKey = {
  readonly id: string
  readonly key_prefix: string
  readonly name: string
  readonly kind: 'personal' | 'workspace'
  /** The owner or the creator of the key. */
  readonly email: string | null
  readonly scopes: readonly string[]
  readonly expires_at: string | null
  readonly last_used_at: string | null
}

/** A workspace by its slug; the person at the command line has the database, and may learn that there is none. */
export async function requireWorkspace(tx: ReadTx, slug: string): Promise<WorkspaceRow> {
  const workspace = await findWorkspace(tx, slug)
  if (workspace === undefined)
    throw new AdminError(`There is no workspace "${slug}". "kontor workspace list" lists them.`)
  return workspace
}

export async function listedWorkspaces({ reader }: Database): Promise<ListedWorkspace[]> {
  const rows = await listWorkspaces(reader)
  return rows.map(({ id, slug, name, members, created_at: at }) => ({
    id,
    slug,
    name,
    members,
    created_at: isoTime(at),
  }))
}

/** A workspace has fewer people than this. */
const membersMax = 100_000

export async function listedUsers({ reader }: Database, slug: string): Promise<ListedUser[]> {
  const { id } = await requireWorkspace(reader, slug)
  const order = { column: 'm.created_at', descending: false, isText: false }
  const { rows } = await membersIn(id)(reader, order, { offset: 0, rows: membersMax })
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    last_active_at: isoTimeOrNull(row.last_active_at),
  }))
}

/** All keys of a workspace, personal ones included. */
export async function listedKeys({ reader }: Database, slug: string): Promise<ListedKey[]> {
  const { id } = await requireWorkspace(reader, slug)
  const rows = await listKeysOfWorkspace(reader, id)
  return rows.map((row) => ({
    id: row.id,
    key_prefix: row.key_prefix,
    name: row.name,
    kind: row.actor_type === 'user' ? 'personal' : 'workspace',
    email: row.email,
    scopes: row.scopes,
    expires_at: isoTimeOrNull(row.expires_at),
    last_used_at: isoTimeOrNull(row.last_used_at),
  }))
}

/** Revokes a key; running servers notice at once, or within five seconds (docs/decisions/0024). */
export async function revokeKey(
  { database, ...telling }: Telling & { readonly database: Database },
  slug: string,
  id: string,
): Promise<void> {
  await database.write(async (tx) => {
    const workspace = await requireWorkspace(tx, slug)
    const key = isId(id) ? await findKey(tx, workspace.id, id) : undefined
    if (key === undefined)
      throw new AdminError(`There is no API key ${id} in "${slug}". "kontor key list --workspace ${slug}" lists them.`)
    await revokeForOperator(tx, telling, key)
  })
}
