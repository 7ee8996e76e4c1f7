import { access } from '@kontor/contract'
import { Failure } from '../../kernel/errors.ts'
import type { RunEvent } from '../activities/index.ts'
import { changed, gone, scopeOf, type Left, type Undoing } from './undoing.ts'

const targetOf = (undoing: Undoing, event: RunEvent) => ({ ...scopeOf(undoing, event), id: event.record_id })

/** Gives a member or the workspace the level back that the run changed, where they still have that of the run. */
export async function restoreLevel(undoing: Undoing, event: RunEvent): Promise<Left[]> {
  const [change] = event.diff
  const grantee = change?.path[1] === 'workspace' ? null : change?.path[1]
  const target = targetOf(undoing, event)
  const grants = await listGrants(undoing, target)
  if (grants === undefined) return gone
  const grant = grants.find(({ attributes }) => attributes.grantee_id === grantee)
  const level = grant?.attributes.access_level ?? null
  const [made, before] = [change?.val ?? null, change?.oldVal ?? null]
  if (level === before) return []
  if (level !== made) return changed('access')
  if (before !== null) {
    const attributes = {
      grantee_type: grantee === null ? 'workspace' : 'user',
      grantee_id: grantee,
      access_level: before,
      notify: false,
    }
    await undoing.call('access.create', { ...target, body: { data: { type: 'object-record-access', attributes } } })
  } else if (grant !== undefined) await undoing.call('access.remove', { ...target, grant: grant.id })
  return []
}

/** The grants on what was shared, as the person sees them; undefined where it is there no more. */
async function listGrants({ read }: Undoing, target: ReturnType<typeof targetOf>) {
  try {
    return access.list.response.parse(await read('access.list', target)).data
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return undefined
    throw error
  }
}
