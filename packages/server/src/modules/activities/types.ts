import type { ActivityType, EventPayload, EventType } from '@kontor/contract'
import type { DomainEvent } from '../../kernel/events.ts'

type MemberOf<T extends EventType> = keyof EventPayload<T>

/** A type of event with changes; a payload without members accepts any name. */
type TypeWithChanges = {
  [T in EventType]: string extends MemberOf<T> ? never : 'diff' extends MemberOf<T> ? T : never
}[EventType]

/**
 * Activity types by event type; other events do not appear in a record's feed. Those with changes all do: their changes
 * are stored nowhere else (docs/decisions/0031).
 */
const activityTypes: Readonly<Partial<Record<EventType, ActivityType>> & Record<TypeWithChanges, ActivityType>> = {
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
  'attachment.created': 'svc:update',
  'attachment.deleted': 'svc:update',
  'email.sent': 'campaign:sent',
  'email.opened': 'campaign:opened',
  'email.clicked': 'campaign:clicked',
  'email.replied': 'campaign:replied',
  'email.bounced': 'campaign:bounced',
  'email.unsubscribed': 'campaign:unsubscribed',
  'schema.created': 'svc:create',
  'schema.updated': 'svc:update',
  'schema.deleted': 'svc:delete',
}

export const activityTypeOf = ({ type }: DomainEvent): ActivityType | undefined => activityTypes[type]

/** The changes of an event: those that it states, or those that follow from its type. */
export function diffOf({ type, recordId, payload }: DomainEvent): EventPayload<'record.updated'>['diff'] {
  if ('diff' in payload) return payload.diff
  if ('ids' in payload) {
    const path = [payload.relationship]
    return type === 'relationship.set'
      ? [{ op: 'add', path, val: payload.ids, oldVal: null }]
      : [{ op: 'delete', path, val: null, oldVal: payload.ids }]
  }
  if (type === 'record.deleted') return [{ op: 'delete', path: ['_id'], val: null, oldVal: recordId }]
  if (type === 'record.restored') return [{ op: 'add', path: ['_id'], val: recordId, oldVal: null }]
  return []
}
