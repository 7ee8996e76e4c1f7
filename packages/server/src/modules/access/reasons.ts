import type { AccessReason } from '@kontor/contract'
import type { GrantRow } from './grants.ts'
import { atLeast, capped, isOpenTo, levelOf, rankOf, type Principal, type Level } from './rules.ts'
import type { AccessTarget } from './targets.ts'

/** The reasons for a user's access, the highest first: the same parts of which `levelOnRecord` takes the highest. */
export function reasonsFor(
  principal: Principal,
  target: Pick<AccessTarget, 'owner_id' | 'visibility' | 'unshared'>,
  grants: readonly GrantRow[],
  onObject: readonly GrantRow[],
): AccessReason[] {
  const { owner_id } = target
  const isOpen = isOpenTo(principal, target)
  const reason = (source: AccessReason['source'], level: Level, grant?: GrantRow): AccessReason[] => {
    const given = capped(principal, level)
    return given === 'none'
      ? []
      : [{ access_level: given, source, grant_id: grant?.id ?? null, grantee_type: grant?.grantee_type ?? null }]
  }
  const isOwn = ({ grantee_type, grantee_id }: GrantRow) =>
    grantee_type === 'workspace' || grantee_id === principal.userId
  return [
    ...reason('role', principal.role === 'admin' ? 'manage' : 'none'),
    ...reason('owner', owner_id !== null && owner_id === principal.userId ? 'manage' : 'none'),
    ...reason('object_default', isOpen ? principal.objectDefault : 'none'),
    ...onObject
      .filter((grant) => isOpen && isOwn(grant))
      .flatMap((grant) => reason('object_grant', levelOf(grant.level), grant)),
    ...grants.filter(isOwn).flatMap((grant) => reason('grant', levelOf(grant.level), grant)),
    ...reason('visibility', levelOf(target.unshared ?? 0)),
  ].toSorted((a, b) => rankOf(b.access_level) - rankOf(a.access_level))
}

/** The level that all reasons together give. */
export const levelBy = (reasons: readonly AccessReason[]): Level =>
  reasons.reduce<Level>((level, { access_level }) => (atLeast(level, access_level) ? level : access_level), 'none')
