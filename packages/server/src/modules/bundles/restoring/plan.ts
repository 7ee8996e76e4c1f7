import type { ReadTx } from '../../../db/tx.ts'
import { newSecretId, derivedId } from '../../../kernel/ids.ts'
import { findUser, findUserByEmail } from '../../identity/users/index.ts'
import { schemaFeedId } from '../../schemas/index.ts'
import { findSlug, findWorkspace } from '../../workspaces/index.ts'
import { unfinishedPrefix, type Manifest } from '../manifest.ts'
import { BundleFault } from '../reading/bundle-fault.ts'
import type { CheckedBundle } from '../reading/check.ts'
import { listMembers } from '../store.ts'
import type { RestoreAttempt } from './attempt.ts'
import { createHash } from 'node:crypto'

export type RestoreRequest = {
  /** The slug of the restored workspace; by default that of the bundle. */
  readonly slug?: string | undefined
  /** Gives everything a new id, so that the bundle can be restored beside its original. */
  readonly hasNewIds: boolean
}

type Target = RestoreAttempt & {
  readonly slug: string
  /** An earlier restore was not finished, and has left rows. */
  readonly hasRemains: boolean
}

/** Finds the place of a restore, and refuses one that is taken. */
export async function findTarget(
  tx: ReadTx,
  manifest: Manifest,
  salt: string,
  request: RestoreRequest,
): Promise<Target> {
  const { workspace } = manifest
  const slug = request.slug ?? workspace.slug
  if ((await findWorkspace(tx, slug)) !== undefined)
    throw new BundleFault(
      `This database already has a workspace "${slug}", and a restore never changes an existing one. Choose another ` +
        `name with --slug, and add --new-ids if it is the same workspace.`,
    )
  const workspaceId = request.hasNewIds ? newIdOf(salt, workspace.id) : workspace.id
  const found = await findSlug(tx, workspaceId)
  if (found !== undefined && !(found.startsWith(unfinishedPrefix) && (await hasNoMembers(tx, workspaceId))))
    throw new BundleFault(
      `This database already has the workspace of the bundle, as "${found}". To restore a copy, add --new-ids.`,
    )
  return { workspaceId, slug, unfinishedSlug: `${unfinishedPrefix}${newSecretId()}`, hasRemains: found !== undefined }
}

/** Returns whether nobody can have used a workspace: an unfinished one gets its members last. */
const hasNoMembers = async (tx: ReadTx, workspaceId: string): Promise<boolean> =>
  (await listMembers(tx, workspaceId)).length === 0

/** A member, and whether they have an account in this database. */
export type PlannedMember = Manifest['members'][number] & { readonly hasAccount: boolean }

/** Finds the accounts of the members by their e-mail addresses; others get one, with their id if it is free. */
export async function planMembers(
  tx: ReadTx,
  { members }: Manifest,
  salt: string,
): Promise<readonly [string, PlannedMember][]> {
  const planned: [string, PlannedMember][] = []
  for (const member of members) {
    const known = await findUserByEmail(tx, member.email)
    if (known !== undefined && known.unverified_since !== null)
      throw new BundleFault(
        `The account of ${member.email} is not verified, so its holder may be another person. First let them set a ` +
          `password: kontor user password-link --email ${member.email}`,
      )
    const free = known === undefined && (await findUser(tx, member.id)) === undefined
    const id = known?.id ?? (free ? member.id : newIdOf(salt, member.id))
    planned.push([member.id, { ...member, id, hasAccount: known !== undefined }])
  }
  return planned
}

/** The change of the ids of a bundle. */
export function rewriterOf(
  { workspace }: Manifest,
  checked: CheckedBundle,
  members: readonly [string, PlannedMember][],
  {
    workspaceId,
    salt,
    hasNewIds,
  }: { readonly workspaceId: string; readonly salt: string; readonly hasNewIds: boolean },
) {
  const feeds = checked.objectKeys.map((key): [string, string] => [
    schemaFeedId(workspace.id, key),
    schemaFeedId(workspaceId, key),
  ])
  const known = new Map([
    ...feeds,
    [workspace.id, workspaceId],
    ...members.map(([id, member]): [string, string] => [id, member.id]),
  ])
  return idRewriter({ known, renewed: hasNewIds ? checked.ids : undefined, salt })
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Characters of an id before its random end: the time and the order within it. */
const orderedLength = 24

/** The version of ids that begin with their time. */
const ordered = '7'

const versionAt = 14

/**
 * Derives the new id of something. Of ids that begin with a time only the end changes, so that records keep their
 * order. The same salt gives the same ids: a restore that is repeated finds what it has written.
 */
function newIdOf(salt: string, id: string): string {
  if (id[versionAt] !== ordered) return derivedId('restored', salt, id)
  return id.slice(0, orderedLength) + createHash('sha256').update(`${salt} ${id}`).digest('hex').slice(0, 12)
}

type IdChanges = {
  /** Ids that become certain others: users, the workspace. */
  readonly known: ReadonlyMap<string, string>
  /** The ids of a bundle that all become new ones; undefined if they stay. */
  readonly renewed: ReadonlySet<string> | undefined
  readonly salt: string
}

/** Returns the change of a text with ids, wherever they are in it; undefined if none changes. */
function idRewriter({ known, renewed, salt }: IdChanges): ((text: string) => string) | undefined {
  if (renewed === undefined && [...known].every(([from, to]) => from === to)) return undefined
  const idOf = (id: string): string => known.get(id) ?? (renewed?.has(id) === true ? newIdOf(salt, id) : id)
  return (text) => text.replace(uuid, idOf)
}
