import type { ActivityType, Change } from '@kontor/contract'
import type { DomainEvent } from '../../kernel/events.ts'

/** Activity types by event type; other events do not appear in a record's feed. */
const activityTypes: Readonly<Record<string, ActivityType>> = {
  'record.created': 'svc:create',
  'record.updated': 'svc:update',
  'record.deleted': 'svc:delete',
  'record.restored': 'svc:restore',
  'record.merged': 'svc:merge',
  'relationship.set': 'svc:set-relationship',
  'relationship.unset': 'svc:unset-relationship',
  'list.entry_added': 'svc:add-to-list',
  'list.entry_removed': 'svc:remove-from-list',
  'access.granted': 'svc:grant-access',
  'access.updated': 'svc:update-access',
  'access.revoked': 'svc:revoke-access',
  'comment.created': 'comment:create',
  'comment.updated': 'comment:update',
  'comment.deleted': 'comment:delete',
  'schema.created': 'svc:create',
  'schema.updated': 'svc:update',
  'schema.deleted': 'svc:delete',
}

export const activityTypeOf = ({ type }: DomainEvent): ActivityType | undefined => activityTypes[type]

/** The changes of an event: those that it states, or those that follow from its type. */
export function diffOf({ type, recordId, payload }: DomainEvent): readonly Change[] {
  if (Array.isArray(payload['diff'])) return payload['diff'] as Change[]
  const path = [String(payload['relationship'])]
  if (type === 'relationship.set') return [{ op: 'add', path, val: payload['ids'], oldVal: null }]
  if (type === 'relationship.unset') return [{ op: 'delete', path, val: null, oldVal: payload['ids'] }]
  if (type === 'record.deleted') return [{ op: 'delete', path: ['_id'], val: null, oldVal: recordId }]
  if (type === 'record.restored') return [{ op: 'add', path: ['_id'], val: recordId, oldVal: null }]
  return []
}
