import { listPermissions, type ListPermission, type ListResource } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import { visibilities, type ListRow } from './store.ts'

/** The permission of members on a list, from the level granted to the workspace. */
const permissionOf = (visibility: number): ListPermission =>
  defined(listPermissions.find((one) => visibilities[one].includes(visibility)))

/** Presents a list; `entity` is the name of its object. */
export const presentList = (row: ListRow, entity: string): ListResource => ({
  type: 'list',
  id: row.id,
  attributes: {
    _id: row.id,
    user_id: row.created_by,
    entity,
    title: row.title,
    emoji: row.emoji,
    description: row.description,
    type: row.type,
    state: row.state,
    layout: row.layout,
    options: row.options,
    ...(row.query !== null && { query: row.query }),
    owner_id: row.owner_id ?? row.created_by,
    permission: permissionOf(row.visibility),
    rank: row.rank,
    applied_version_id: row.applied_version_id,
    list_evaluation_status: row.evaluation_status,
    list_evaluation_started_at: isoTimeOrNull(row.evaluation_started_at),
    last_list_evaluation_at: isoTimeOrNull(row.evaluated_at),
    _created_at: isoTime(row.created_at),
    _created_by: row.created_by,
    _updated_at: isoTime(row.updated_at),
    _updated_by: row.updated_by,
  },
  relationships: { owner_id: { data: row.owner_id === null ? null : { type: 'user', id: row.owner_id } } },
})
