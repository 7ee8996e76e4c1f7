import { Admin } from '@kontor/server/admin'
import type { AppOptions } from '@kontor/server'
import type { TestDatabase } from './database.ts'
import type { Answer } from './http.ts'

/** The people: acme has an admin, a member and a viewer; the stranger is admin of other. */
export const people = ['admin', 'member', 'viewer', 'stranger'] as const

export type Person = (typeof people)[number]
export type KeyName = 'adminKey' | 'memberKey' | 'strangerKey' | 'workspaceKey'

/** A person or a key by name, a caller without a credential, or a header as it stands. */
export type Caller = Person | KeyName | 'anonymous' | { readonly authorization: string }

const emailOf = (person: Person): string => `${person}@example.com`

export type Cast = {
  readonly userIds: Readonly<Record<Person, string>>
  readonly tokens: Record<Person, string>
}

type Setting = { readonly database: TestDatabase; readonly clock: AppOptions['clock']; readonly authUrl: string }

/** Makes the two workspaces and their people in an empty database. */
export async function seedPeople({ database, clock, authUrl }: Setting): Promise<Cast> {
  const admin = new Admin({ database, clock, authUrl })
  const acme = await admin.createWorkspace({
    slug: 'acme',
    name: 'Acme',
    adminEmail: emailOf('admin'),
    adminName: 'Ada Admin',
  })
  const member = await admin.addUser({
    workspace: 'acme',
    email: emailOf('member'),
    role: 'member',
    name: 'Max Member',
  })
  const viewer = await admin.addUser({ workspace: 'acme', email: emailOf('viewer'), role: 'viewer' })
  const other = await admin.createWorkspace({ slug: 'other', name: 'Other', adminEmail: emailOf('stranger') })
  const userIds = { admin: acme.user.id, member: member.id, viewer: viewer.id, stranger: other.user.id }
  const token = async (person: Person) => (await admin.token(emailOf(person))).access_token
  return {
    userIds,
    tokens: {
      admin: await token('admin'),
      member: await token('member'),
      viewer: await token('viewer'),
      stranger: await token('stranger'),
    },
  }
}

/** Adds a person to acme: who they are, and how they call. */
export async function addMember(
  { database, clock, authUrl }: Setting,
  role: 'admin' | 'member' | 'viewer',
  name: string,
  password?: string,
): Promise<{ readonly id: string; readonly as: Caller }> {
  const admin = new Admin({ database, clock, authUrl })
  const email = `${name}@example.com`
  const { id } = await admin.addUser({
    workspace: 'acme',
    email,
    role,
    name,
    ...(password !== undefined && { password }),
  })
  return { id, as: { authorization: `Bearer ${(await admin.token(email)).access_token}` } }
}

/** Adds a workspace with an admin of its own, and returns how that one calls. */
export async function addWorkspace({ database, clock, authUrl }: Setting, slug: string): Promise<Caller> {
  const admin = new Admin({ database, clock, authUrl })
  const adminEmail = `admin@${slug}.example`
  await admin.createWorkspace({ slug, name: slug, adminEmail })
  return { authorization: `Bearer ${(await admin.token(adminEmail)).access_token}` }
}

/** Gives the people of acme back the roles that they began with, changed or removed since. */
export async function restoreMembers(database: TestDatabase, { userIds }: Cast): Promise<void> {
  await database.write(async (tx) => {
    const [workspace] = await tx.query<{ id: string }>(({ knex }) =>
      knex('workspace').select('id').where({ slug: 'acme' }),
    )
    const rows = (['admin', 'member', 'viewer'] as const).map((role) => ({
      workspace_id: workspace?.id ?? '',
      user_id: userIds[role],
      role,
      created_at: 0,
    }))
    await tx.insertNew('membership', rows, ['workspace_id', 'user_id'])
    await tx.updateByKey(
      'membership',
      ['workspace_id', 'user_id'],
      rows.map(({ created_at: _kept, ...row }) => row),
    )
  })
}

type Post = (path: string, options: { readonly as: Caller; readonly body: unknown }) => Promise<Answer>

export type NewKey = {
  readonly scopes?: readonly string[]
  readonly kind?: 'user' | 'workspace'
  readonly expiresAt?: string
  readonly workspace?: string
}

/** Creates a key through the API. */
export async function createKey(
  post: Post,
  as: Caller,
  { scopes = [], kind = 'user', expiresAt, workspace = 'acme' }: NewKey = {},
): Promise<{ id: string; key: string }> {
  const attributes = {
    name: typeof as === 'string' ? `Key of ${as}` : 'Key',
    scopes,
    actor_type: kind,
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  }
  const { status, body } = await post(`/workspaces/${workspace}/api-keys`, {
    as,
    body: { data: { type: 'api-key', attributes } },
  })
  if (status !== 201) throw new Error(`no key: ${JSON.stringify(body)}`)
  return { id: body.data.id, key: body.data.attributes.cleartext_api_key }
}

export async function seedKeys(post: Post): Promise<Record<KeyName, string>> {
  const [adminKey, memberKey, strangerKey, workspaceKey] = await Promise.all([
    createKey(post, 'admin'),
    createKey(post, 'member'),
    createKey(post, 'stranger', { workspace: 'other' }),
    createKey(post, 'admin', { kind: 'workspace' }),
  ])
  return {
    adminKey: adminKey.key,
    memberKey: memberKey.key,
    strangerKey: strangerKey.key,
    workspaceKey: workspaceKey.key,
  }
}
